// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/core/handle.hpp>
void needs_comm(mana::virt<mana::kind::comm>);
void test(unsigned bits) {
  needs_comm(mana::virt<mana::kind::comm>(bits));
#ifdef MUST_FAIL
  needs_comm(bits);
#endif
}
