#include "sim/views/JsonView.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sim/views/ResultFields.h"

namespace smreplay::views {
namespace {

using Json = nlohmann::ordered_json;

// Writing.
struct Writer {
  Json& object;

  template <class T>
  void operator()(const char* name, const T& value) {
    object[name] = json_of(value);
  }

  static Json json_of(const attribution::StateCounts& counts) {
    Json states = Json::object();
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0) states[std::string(sm::name(static_cast<sm::WarpState>(i)))] = counts[i];
    }
    return states;
  }

  template <class T, size_t N>
  static Json json_of(const T (&values)[N]) {
    return Json(std::vector<T>(values, values + N));
  }

  template <class T>
  static Json json_of(const T& value) {
    if constexpr (std::is_constructible_v<Json, const T&>) {
      return Json(value);
    } else {
      Json inner = Json::object();
      Writer writer{inner};
      fields(writer, value);
      return inner;
    }
  }

  template <class T>
  requires std::is_class_v<T>
  static Json json_of(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(json_of(value));
    return list;
  }
};

// Reading. Throws FieldError; from_json turns it into an Error.
struct FieldError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Reader {
  const Json& object;
  std::string path;

  template <class T>
  void operator()(const char* name, T& value) {
    const std::string here = path.empty() ? name : path + "." + name;
    const auto found = object.find(name);
    if (found == object.end()) throw FieldError("field '" + here + "' is missing");
    read(*found, here, value);
  }

  static void read(const Json& json, const std::string& path, attribution::StateCounts& counts) {
    counts = {};
    if (!json.is_object()) throw FieldError("field '" + path + "' is not an object");
    for (const auto& [state, count] : json.items()) counts[index_of(state, path)] = count.get<uint64_t>();
  }

  static size_t index_of(const std::string& state, const std::string& path) {
    for (size_t i = 0; i < sm::kWarpStates; ++i) {
      if (sm::name(static_cast<sm::WarpState>(i)) == state) return i;
    }
    throw FieldError("field '" + path + "' names the unknown state '" + state + "'");
  }

  template <class T, size_t N>
  static void read(const Json& json, const std::string& path, T (&values)[N]) {
    if (!json.is_array() || json.size() != N) {
      throw FieldError("field '" + path + "' is not a list of " + std::to_string(N));
    }
    for (size_t i = 0; i < N; ++i) values[i] = json[i].get<T>();
  }

  template <class T>
  static void read(const Json& json, const std::string& path, T& value) {
    if constexpr (requires { json.get<T>(); }) {
      try {
        value = json.get<T>();
      } catch (const nlohmann::json::exception&) {
        throw FieldError("field '" + path + "' is of another type than expected");
      }
    } else {
      if (!json.is_object()) throw FieldError("field '" + path + "' is not an object");
      Reader reader{json, path};
      fields(reader, value);
    }
  }

  template <class T>
  requires std::is_class_v<T>
  static void read(const Json& json, const std::string& path, std::vector<T>& values) {
    if (!json.is_array()) throw FieldError("field '" + path + "' is not a list");
    values.clear();
    for (const Json& item : json) {
      read(item, path + "[" + std::to_string(values.size()) + "]", values.emplace_back());
    }
  }
};

Error bad(std::string code, std::string message, const std::string& file) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), file};
}

}  // namespace

std::string to_json(const attribution::Result& result) {
  Json root = Json::object();
  root["schema_version"] = attribution::kResultSchemaVersion;
  Writer writer{root};
  fields(writer, result);
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<attribution::Result> from_json(const std::string& text, const std::string& file) {
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded() || !root.is_object()) {
    return bad("result-syntax", "this is not a result: write one with 'smreplay run ... --format json -o FILE'", file);
  }
  const auto version = root.find("schema_version");
  if (version == root.end() || *version != attribution::kResultSchemaVersion) {
    return bad(
        "result-version",
        "this result is not of schema version " + std::to_string(attribution::kResultSchemaVersion) + ": run it again",
        file);
  }
  try {
    attribution::Result result;
    Reader reader{root, ""};
    fields(reader, result);
    return result;
  } catch (const FieldError& error) {
    return bad("result-field", error.what(), file);
  } catch (const nlohmann::json::exception& error) {
    return bad("result-field", error.what(), file);
  }
}

}  // namespace smreplay::views
