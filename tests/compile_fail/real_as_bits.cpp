// expect-error: cannot convert|no viable conversion
#include <mana/core/handle.hpp>
unsigned long test(mana::real<mana::kind::datatype> r) {
#ifdef MUST_FAIL
  unsigned long x = r;
  return x;
#endif
  return r.bits();
}
