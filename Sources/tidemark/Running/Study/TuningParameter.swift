import CommandLineInterface
import Text
import Workloads

/// A field that a search varies, with the values to try.
struct TuningParameter: Sendable {
  enum Owner: Hashable, Sendable {
    /// The cache section: each policy uses what applies to it.
    case cache
    /// The policy itself, whether or not its preset uses the field.
    case policy
    /// An option in the command of a cache in another process.
    case command(String)
  }

  private enum Domain: Sendable {
    case list([String])
    case range(FieldRange)
  }

  /// The name as written: `capacity-memory`, `policy.time-to-live`.
  let name: String
  let owner: Owner
  let field: ScenarioField
  private let domain: Domain

  init(_ text: String, commands: [String], models: [DataModel]) throws {
    let (name, values) = try Self.parts(of: text)
    let cache = commands.filter { name.hasPrefix("\($0).") }.max { $0.utf8.count < $1.utf8.count }
    if let cache {
      self.name = name
      owner = .command(cache)
      field = ScenarioField(
        name: String(name.dropFirst(cache.count + 1)), summary: "an option of \(cache)",
        form: .quantity(.number, -1e15...1e15))
      domain =
        values.contains("..")
        ? .range(try FieldRange(values, of: field, isWholeBetweenWholes: true))
        : .list(try Self.list(values, in: text) { $0 })
      return
    }
    let ofPolicy = name.hasPrefix("policy.")
    let plain =
      ofPolicy
      ? String(name.dropFirst(7)) : name.hasPrefix("cache.") ? String(name.dropFirst(6)) : name
    guard let known = ScenarioField.ofCache(named: plain, of: models) else {
      let nearest = NearestName.suggestion(
        for: plain, among: ScenarioField.ofCache(of: models).map(\.name)
      ).flatMap { $0.utf8.count * 2 > plain.utf8.count ? $0 : nil }
      throw CommandFailure(
        .input,
        "--vary \(text): no field of that name; "
          + (nearest.map { "did you mean \"\(ofPolicy ? "policy." : "")\($0)\"? " } ?? "")
          + "known: `tidemark list fields`; vary a workload's fields with `tidemark sensitivity`")
    }
    self.name = ofPolicy ? name : plain
    owner = ofPolicy ? .policy : .cache
    field = known
    if known.isNumeric && values.contains("..") {
      domain = .range(try FieldRange(values, of: known))
    } else {
      domain = .list(try Self.list(values, in: text) { try known.spelling(of: $0) })
    }
  }

  /// Splits an argument into the field and the text after `=`.
  static func parts(of text: String) throws(CommandFailure) -> (name: String, values: String) {
    guard let equals = text.firstIndex(of: "="), text.index(after: equals) < text.endIndex else {
      throw CommandFailure(
        .input, "--vary \(text): not a field with values; write FIELD=a,b,c or FIELD=a..b")
    }
    return (String(text[..<equals]), String(text[text.index(after: equals)...]))
  }

  /// Returns the values of a list, without duplicates, in the spelling of reports.
  static func list(
    _ values: String, in text: String, _ spelling: (String) throws -> String
  ) throws -> [String] {
    let elements: [String]
    do throws(Quantity.Fault) {
      elements = try Quantity.elements(of: values)
    } catch {
      guard case .comma(let meant) = error else { throw error }
      throw CommandFailure(
        .input,
        "--vary \(text): a comma within a number, and commas separate values; write \(meant)")
    }
    let list = try elements.filter { !$0.isEmpty }.map(spelling)
    guard !list.isEmpty else {
      throw CommandFailure(.input, "--vary \(text): no value; write FIELD=a,b,c or FIELD=a..b")
    }
    if let twice = list.indices.first(where: { list[..<$0].contains(list[$0]) }) {
      throw CommandFailure(
        .input, "--vary \(text): \(list[twice]) is given twice; give each value once")
    }
    return list
  }

  /// Parses the arguments of `--vary`, each field once.
  static func all(
    _ texts: [String], commands: [String] = [], models: [DataModel]
  ) throws -> [TuningParameter] {
    var parameters: [TuningParameter] = []
    for text in texts {
      let parameter = try TuningParameter(text, commands: commands, models: models)
      guard !parameters.contains(where: { $0.isOfSame(as: parameter) }) else {
        throw CommandFailure(
          .input, "--vary \(parameter.name) is given twice; give all its values in one list")
      }
      parameters.append(parameter)
    }
    return parameters
  }

  /// Returns whether both set the same field: the cache section's, or the policies' own.
  private func isOfSame(as other: TuningParameter) -> Bool {
    if case .command = owner { return name == other.name }
    if case .command = other.owner { return false }
    return field == other.field
  }

  /// Returns whether it applies to a contender at all.
  func concerns(_ contender: Contender) -> Bool {
    if case .command(let name) = owner { name == contender.name } else { true }
  }

  /// Whether there is nothing to search.
  var isFixed: Bool {
    switch domain {
    case .list(let values): values.count == 1
    case .range(let range): range.lower == range.upper
    }
  }

  /// Returns all values of a list, or this many of a range.
  func values(steps: Int) -> [String] {
    switch domain {
    case .list(let values): values
    case .range(let range): range.grid(steps: steps)
    }
  }

  /// Returns the value at a position from 0 to 1, of which each element of a list has an equal part.
  func value(at place: Double) -> String {
    switch domain {
    case .list(let values): values[min(Int(place * Double(values.count)), values.count - 1)]
    case .range(let range): range.text(at: place)
    }
  }

  /// Fields that define a policy's idea: a search may replace them in the policy that it tunes, and a rival
  /// keeps its own.
  private static let ofIdeas: Set = [
    "eviction-order", "admission", "retention", "release-buffer-queries", "release-buffer-age",
    "release-buffer-reads", "drops-expired", "time-to-live-from",
  ]

  /// The parameter for a rival; `nil` if it would change the rival's idea.
  var ofRival: TuningParameter? {
    if case .command = owner { return self }
    return Self.ofIdeas.contains(field.name) ? nil : TuningParameter(shared: self)
  }

  private init(shared parameter: TuningParameter) {
    name = parameter.name
    owner = .cache
    field = parameter.field
    domain = parameter.domain
  }
}
