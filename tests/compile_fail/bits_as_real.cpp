// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/core/handle.hpp>
void lower(mana::real<mana::kind::comm>);
void test(unsigned long bits) {
  lower(mana::real<mana::kind::comm>(bits));
#ifdef MUST_FAIL
  lower(bits);
#endif
}
