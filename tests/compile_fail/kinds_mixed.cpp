// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/core/handle.hpp>
void needs_comm(mana::virt<mana::kind::comm>);
void test(mana::virt<mana::kind::comm> c, mana::virt<mana::kind::op> o) {
  needs_comm(c);
#ifdef MUST_FAIL
  needs_comm(o);
#endif
  (void)o;
}
