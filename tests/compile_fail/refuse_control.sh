#!/bin/sh
# refuse_control.sh REFUSE_SCRIPT COMPILER...: refuse.sh passes a right case, and fails each wrong one.
set -eu
refuse=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# verdict COMPILER...: what refuse.sh says to the case on standard input must be $expected
verdict() {
  cat > "$work/case.cpp"
  if sh "$refuse" "$work/case.cpp" "$@" > "$work/said" 2>&1; then got=passed; else got=failed; fi
  [ "$got" = "$expected" ] || { echo "$what: $got, expected: $expected"; cat "$work/said"; status=1; }
}
expected=passed what="a case that is refused as expected"
verdict "$@" << 'END'
// expect: static.assert.* failed
// expect-gcc: the number is odd
// expect-clang: the number is odd
#ifdef FIXED
constexpr int number = 2;
#else
constexpr int number = 3;
#endif
template <int N>
void f() { static_assert(N % 2 == 0, "the number is odd"); }
int main() { f<number>(); }
END
expected=failed what="a case whose mistake compiles"
verdict "$@" << 'END'
// expect: error
int main() {}
END
expected=failed what="a case that is refused for another reason"
verdict "$@" << 'END'
// expect: the number is odd
#ifndef FIXED
int x = unknown;
#endif
END
expected=failed what="a case whose correction does not compile"
verdict "$@" << 'END'
// expect: unknown
int x = unknown;
END
expected=failed what="a case that expects nothing"
verdict "$@" << 'END'
#ifndef FIXED
int x = unknown;
#endif
END
exit $status
