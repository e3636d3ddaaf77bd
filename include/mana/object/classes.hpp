// The classes of MPI objects, in the order in which a restart makes their objects again.
#pragma once
#include <mana/core/kind.hpp>
#include <mana/object/comm/class/class.hpp>
#include <mana/object/datatype/class.hpp>
#include <mana/object/errhandler/descriptor.hpp>
#include <mana/object/group/math.hpp>
#include <mana/object/info/store.hpp>
#include <mana/object/message/class.hpp>
#include <mana/object/op/class.hpp>
#include <mana/object/request/completion/class.hpp>
#include <mana/object/session/descriptor.hpp>
#include <mana/object/tool/class.hpp>
#include <mana/object/win/class.hpp>
#include <mana/vid/object_class.hpp>

namespace mana {

using all_classes = class_list<kind::info, kind::errhandler, kind::group, kind::comm, kind::datatype, kind::op, kind::session,
                               kind::tool, kind::message, kind::win, kind::request>;
/// The program can make no object of these classes: the functions that would make one are refused.
using refused_classes = class_list<kind::file>;

inline constexpr unsigned all_codes = (1u << (static_cast<unsigned>(kind_code::tool) + 1)) - (1u << static_cast<unsigned>(kind_code::comm));
static_assert((all_classes::codes | refused_classes::codes) == all_codes && (all_classes::codes & refused_classes::codes) == 0,
              "each kind of object is in one of these lists");

}  // namespace mana
