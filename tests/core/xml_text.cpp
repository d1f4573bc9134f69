// Text inside XML.
#include "lacuna/core/xml_text.hpp"

#include <doctest/doctest.h>

using lacuna::xml_text;

TEST_CASE("markup is escaped, control characters become spaces, everything else stays") {
  CHECK(xml_text("a<b> & \"c\"") == "a&lt;b&gt; &amp; &quot;c&quot;");
  CHECK(xml_text("a\nb\x01") == "a b ");
  CHECK(xml_text("γ = 0.3") == "γ = 0.3");
  CHECK(xml_text("").empty());
}
