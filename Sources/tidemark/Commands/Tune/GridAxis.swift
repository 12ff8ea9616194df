import Workloads

/// One field of the cache section and the values to try.
struct GridAxis {
  var field: String
  var values: [String]

  init(_ text: String, steps: Int) throws {
    guard let equals = text.firstIndex(of: "="), text.index(after: equals) < text.endIndex else {
      throw CommandFailure(
        .input, "--vary \(text): not a field with values; write FIELD=a,b,c or FIELD=a..b")
    }
    field = String(text[..<equals])
    let values = String(text[text.index(after: equals)...])
    guard let known = CacheField.named(field) else {
      let suggestion = Suggestion.text(for: field, among: CacheField.all.map(\.name))
      throw CommandFailure(.input, "--vary \(text): no field of that name; \(suggestion)")
    }
    self.values =
      known.isNumeric && values.contains("..")
      ? try known.grid(values, steps: steps)
      : try values.split(separator: ",").map { try known.spelling(of: String($0)) }
    guard !self.values.isEmpty else {
      throw CommandFailure(.input, "--vary \(text): no value; write FIELD=a,b,c or FIELD=a..b")
    }
    if let twice = self.values.indices.first(where: {
      self.values[..<$0].contains(self.values[$0])
    }) {
      throw CommandFailure(
        .input, "--vary \(text): \(self.values[twice]) is there twice; give each value once")
    }
  }

  /// Reads what `--vary` was given, each field once.
  static func all(_ texts: [String], steps: Int) throws -> [GridAxis] {
    var axes: [GridAxis] = []
    for text in texts {
      let axis = try GridAxis(text, steps: steps)
      guard !axes.contains(where: { $0.field == axis.field }) else {
        throw CommandFailure(
          .input, "--vary \(axis.field) is there twice; give all its values in one list")
      }
      axes.append(axis)
    }
    return axes
  }

  /// Every combination of one value of each axis, the last axis fastest; at most `limit` and one.
  static func product(of axes: [GridAxis], limit: Int) -> [[String]] {
    axes.reduce([[]]) { settings, axis in
      Array(
        settings.lazy.flatMap { setting in axis.values.map { setting + [$0] } }.prefix(limit + 1))
    }
  }
}
