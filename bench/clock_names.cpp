// The names of the library's clock policies, a line each, the default first.
#include <mana/clock/policies.hpp>

#include <cstdio>

int main() {
  for (const std::string_view name : mana::clock::policy_names())
    std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
}
