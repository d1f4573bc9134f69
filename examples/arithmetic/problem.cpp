#include "problem.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "lacuna/core/random.hpp"
#include "words.hpp"

namespace arithmetic {

namespace {

using random = lacuna::random_stream;

template <std::size_t N>
const char* one_of(const std::array<const char*, N>& choices, random& rng) {
  return choices[rng.below(N)];
}

constexpr std::array names{"tom", "anna", "ben", "lucy", "sam", "mia", "leo", "nora", "max", "ella", "jack", "rosa"};
constexpr std::array things{"apples", "pears", "books",    "pens",  "stamps",  "shells", "marbles",
                            "cards",  "eggs",  "stickers", "beads", "cookies", "balls",  "roses"};
constexpr std::array containers{"boxes", "bags", "baskets", "jars", "packs", "bowls", "crates", "shelves"};
constexpr std::array<std::pair<const char*, const char*>, 4> colours{
    {{"red", "blue"}, {"green", "white"}, {"old", "new"}, {"big", "small"}}};

// N the person, F another one, T the thing, C containers, # numbers in order, X and Y colours.
constexpr std::array products{
    "N has # C with # T each .", "N buys # C with # T in each .",     "there are # C with # T each at home .",
    "N gets # C of # T each .",  "N brings # C and each holds # T .", "on the shelves are # C with # T each ."};
constexpr std::array sums{"N has # X T and # Y T .", "N owns # X and # Y T .", "there are # X T and # Y T at home .",
                          "N keeps # X T and also # Y T ."};
constexpr std::array amounts{"N has # T .", "N also has # T .", "N finds # T .", "there are also # other T .",
                             "N gets # T from F ."};
constexpr std::array losses{"N gives # T to F .",        "N loses # of them .",  "N sells # T at the market .",
                            "then # T are taken away .", "F takes # of the T .", "in the evening # T are left out .",
                            "N gives # to a friend .",   "later N sells # T ."};
constexpr std::array gains{"N finds # more T .",
                           "N buys # more T .",
                           "F gives N another # T .",
                           "then N gets # more at the shop .",
                           "the teacher brings # more T .",
                           "after school there are # more T ."};
constexpr std::array multiples{"F has # times as many T as N .", "F owns # times as many as that .",
                               "in the market are # times as many T ."};
constexpr std::array shares{"N puts all of them equally into # C .", "N shares all T equally among # friends .",
                            "they are put into # C with equally many in each ."};
constexpr std::array prices{"each of the T costs # coins .", "the price of each one is # coins .",
                            "N sells them all for # coins each ."};

constexpr std::array ask_total{"how many T does N have now ?", "how many T are there altogether ?",
                               "what is the total number of T ?"};
constexpr std::array ask_multiple{"how many T does F have ?", "how many T are there then ?",
                                  "what is the number of T that F has ?"};
constexpr std::array ask_share{"how many T are in each ?", "how many T does each one get ?",
                               "what is the number of T for each ?"};
constexpr std::array ask_price{"how many coins is that in total ?", "what is the total price of the T ?",
                               "how many coins do they all cost ?"};

/// The story so far.
struct story {
  random rng;
  std::string person, other, thing, structure, question;

  explicit story(random stream) : rng{stream} {
    person = one_of(names, rng);
    do other = one_of(names, rng);
    while (other == person);
    thing = one_of(things, rng);
  }

  std::size_t between(std::size_t least, std::size_t most) { return least + rng.below(most - least + 1); }

  void tell(std::string_view sentence, std::span<const std::size_t> numbers) {
    const auto& [x, y] = colours[rng.below(colours.size())];
    const std::string container = one_of(containers, rng);
    std::size_t used = 0;
    for (const std::string& word : words_of(sentence)) {
      const std::string said = word == "N"   ? person
                               : word == "F" ? other
                               : word == "T" ? thing
                               : word == "C" ? container
                               : word == "X" ? x
                               : word == "Y" ? y
                               : word == "#" ? std::to_string(numbers[used++])
                                             : word;
      question += (question.empty() ? "" : " ") + said;
    }
  }
  void note(char kind, std::span<const std::size_t> numbers) {
    structure += kind;
    for (const std::size_t n : numbers) structure += std::to_string(n) + ",";
  }

 private:
  static std::vector<std::string> words_of(std::string_view sentence) {
    std::vector<std::string> words;
    while (!sentence.empty()) {
      const std::size_t end = std::min(sentence.find(' '), sentence.size());
      words.emplace_back(sentence.substr(0, end));
      sentence.remove_prefix(std::min(end + 1, sentence.size()));
    }
    return words;
  }
};

/// A number, given or a result, and how it comes about: the terms of a sum.
struct quantity {
  std::size_t value = 0;
  std::vector<std::string> terms;

  static quantity given(std::size_t n) { return {n, {std::to_string(n)}}; }

  [[nodiscard]] bool is_given() const { return terms.size() == 1 && terms[0] == std::to_string(value); }
  [[nodiscard]] std::string expression() const {
    std::vector<std::string> sorted = terms;
    std::sort(sorted.begin(), sorted.end());
    std::string all;
    for (const std::string& term : sorted) all += (all.empty() ? "" : " ") + term;
    return all;
  }
};

/// a with a number that the question gives, or for a sum with any other.
quantity combined(quantity a, char sign, quantity b) {
  if (sign == '+') {
    a.value += b.value;
    a.terms.insert(a.terms.end(), b.terms.begin(), b.terms.end());
    return a;
  }
  if (sign == '-') {
    a.value -= b.value;
    a.terms.push_back(b.expression().insert(0, 1, '-'));
    return a;
  }
  const std::size_t value = sign == '*' ? a.value * b.value : a.value / b.value;
  if (sign == '*' && a.is_given()) {
    if (b.value < a.value) std::swap(a, b);
    return {value, {a.expression() + "*" + b.expression()}};
  }
  return {value, {a.expression().insert(0, 1, '(') + ")" + sign + b.expression()}};
}

/// The calculation so far.
struct calculation {
  std::string text;
  std::size_t steps = 0;
  bool fits = true;  ///< every result is a number that is one token

  quantity step(const quantity& a, char sign, const quantity& b, random& rng) {
    constexpr std::array connecting{"so ", "then ", "now ", "next "};
    quantity c = combined(a, sign, b);
    fits = fits && c.value <= static_cast<std::size_t>(largest_number);
    const bool swapped = (sign == '+' || sign == '*') && rng.below(2) == 0;
    const quantity& left = swapped ? b : a;
    const quantity& right = swapped ? a : b;
    if (!text.empty()) text += ' ';
    text += one_of(connecting, rng);
    for (const std::string& piece :
         {std::string("<< "), std::to_string(left.value), std::string{' ', sign, ' '}, std::to_string(right.value),
          std::string(" = "), std::to_string(c.value), std::string(" >>")})
      text += piece;
    ++steps;
    return c;
  }
};

/// One try; a problem without a question did not come out.
problem attempt(random stream) {
  story s{stream};
  calculation all;
  struct amount {
    std::size_t a, b;
    char sign;  // 0: a alone
  };
  std::vector<amount> pending;
  std::vector<quantity> known;
  const std::size_t groups = s.between(1, 3);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t kind = s.rng.below(3);
    if (kind == 0) {
      const std::array<std::size_t, 2> n{s.between(2, 6), s.between(2, 9)};
      s.note('p', n);
      s.tell(one_of(products, s.rng), n);
      pending.push_back({n[0], n[1], '*'});
    } else if (kind == 1) {
      const std::array<std::size_t, 2> n{s.between(2, 12), s.between(2, 12)};
      s.note('s', n);
      s.tell(one_of(sums, s.rng), n);
      pending.push_back({n[0], n[1], '+'});
    } else {
      const std::array<std::size_t, 1> n{s.between(2, 20)};
      s.note('n', n);
      s.tell(one_of(amounts, s.rng), n);
      known.push_back(quantity::given(n[0]));
    }
  }
  while (!pending.empty() || known.size() > 1) {  // whatever can be computed, in any order
    const bool join = known.size() > 1 && (pending.empty() || s.rng.below(2) == 0);
    if (join) {
      s.rng.shuffle(std::span{known});
      const quantity b = known.back();
      known.pop_back();
      known.back() = all.step(known.back(), '+', b, s.rng);
    } else {
      const std::size_t k = s.rng.below(pending.size());
      const amount p = pending[k];
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(k));
      known.push_back(all.step(quantity::given(p.a), p.sign, quantity::given(p.b), s.rng));
    }
  }
  quantity now = known.front();
  const std::size_t events = s.between(0, 2);
  const char* ask = one_of(ask_total, s.rng);
  for (std::size_t e = 0; e < events; ++e) {
    const std::size_t kind = s.rng.below(e + 1 == events ? 5 : 2);  // what ends the story comes last
    std::array<std::size_t, 1> n{};
    if (kind == 0) {
      if (now.value < 3) return {};
      n[0] = s.between(1, std::min<std::size_t>(now.value - 1, 15));
      s.note('-', n);
      s.tell(one_of(losses, s.rng), n);
      now = all.step(now, '-', quantity::given(n[0]), s.rng);
    } else if (kind == 1) {
      n[0] = s.between(2, 15);
      s.note('+', n);
      s.tell(one_of(gains, s.rng), n);
      now = all.step(now, '+', quantity::given(n[0]), s.rng);
    } else if (kind == 2) {
      n[0] = s.between(2, 3);
      s.note('*', n);
      s.tell(one_of(multiples, s.rng), n);
      now = all.step(now, '*', quantity::given(n[0]), s.rng);
      ask = one_of(ask_multiple, s.rng);
    } else if (kind == 3) {
      n[0] = s.between(2, 4);
      if (now.value % n[0] != 0 || now.value == n[0]) return {};
      s.note('/', n);
      s.tell(one_of(shares, s.rng), n);
      now = all.step(now, '/', quantity::given(n[0]), s.rng);
      ask = one_of(ask_share, s.rng);
    } else {
      n[0] = s.between(2, 4);
      s.note('c', n);
      s.tell(one_of(prices, s.rng), n);
      now = all.step(now, '*', quantity::given(n[0]), s.rng);
      ask = one_of(ask_price, s.rng);
    }
  }
  if (all.steps < 2 || all.steps > 5 || !all.fits) return {};
  s.tell(ask, {});
  return {s.question, all.text + " #### " + std::to_string(now.value), s.structure, now.expression()};
}

bool is_test(const std::string& expression) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : expression) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return (hash >> 20U) % 20 == 0;
}

}  // namespace

problem make_problem(std::uint64_t seed, split which, std::size_t number) {
  for (std::uint64_t trial = 0;; ++trial) {
    problem p = attempt(random{seed, lacuna::stream_use::other, which == split::test ? 1U : 0U, number, trial});
    if (p.question.empty() || is_test(p.expression) != (which == split::test)) continue;
    if (tokeniser::split(p.question).size() <= question_length && tokeniser::split(p.solution).size() <= solution_length)
      return p;
  }
}

}  // namespace arithmetic
