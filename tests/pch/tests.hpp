// What every test includes sooner or later, read once for each program of tests: two seconds less a file. A test still includes
// what it uses; a build with -Db_pch=false shows whether it does (.ci/run makes one).
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "lacuna/core/tensor.hpp"
