#include "sim/views/JsonView.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

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

  static Json json_of(const attribution::PlaceCounts& counts) {
    Json places = Json::object();
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0) places[std::string(sm::name(static_cast<sm::Place>(i)))] = counts[i];
    }
    return places;
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
    for (const auto& [state, count] : json.items()) read(count, path + "." + state, counts[index_of(state, path)]);
  }

  static size_t index_of(const std::string& state, const std::string& path) {
    for (size_t i = 0; i < sm::kWarpStates; ++i) {
      if (sm::name(static_cast<sm::WarpState>(i)) == state) return i;
    }
    throw FieldError("field '" + path + "' names the unknown state '" + state + "'");
  }

  static void read(const Json& json, const std::string& path, attribution::PlaceCounts& counts) {
    counts = {};
    if (!json.is_object()) throw FieldError("field '" + path + "' is not an object");
    for (const auto& [place, count] : json.items()) {
      size_t i = 0;
      while (i < sm::kPlaces && sm::name(static_cast<sm::Place>(i)) != place) ++i;
      if (i == sm::kPlaces) throw FieldError("field '" + path + "' names the unknown place '" + place + "'");
      read(count, path + "." + place, counts[i]);
    }
  }

  template <class T, size_t N>
  static void read(const Json& json, const std::string& path, T (&values)[N]) {
    if (!json.is_array() || json.size() != N) {
      throw FieldError("field '" + path + "' is not a list of " + std::to_string(N));
    }
    for (size_t i = 0; i < N; ++i) read(json[i], path + "[" + std::to_string(i) + "]", values[i]);
  }

  // Nothing in a result is negative, infinite or larger than its field: nlohmann's get() would wrap it around.
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) static void read(const Json& json,
                                                                                 const std::string& path, T& value) {
    if (!json.is_number()) throw FieldError("field '" + path + "' is no number");
    if constexpr (std::is_integral_v<T>) {
      if (!json.is_number_unsigned() || json.get<uint64_t>() > std::numeric_limits<T>::max()) {
        throw FieldError("field '" + path + "' is no whole number from 0 to " +
                         std::to_string(std::numeric_limits<T>::max()));
      }
    } else if (const double number = json.get<double>(); !(number >= 0) || !std::isfinite(number)) {
      throw FieldError("field '" + path + "' is negative or not finite");
    }
    value = json.get<T>();
  }

  template <class T>
  requires(!std::is_arithmetic_v<T> || std::is_same_v<T, bool>) static void read(const Json& json,
                                                                                 const std::string& path, T& value) {
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
