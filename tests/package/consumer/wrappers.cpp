#include <mana/gen/function_tags.hpp>

static_assert(mana::fn::bcast::form == mana::shape::collective);
static_assert(mana::fn::win_create::form == mana::shape::refuse);
