import CacheModel
import ResultModel
import Text

/// The content of a scenario as values: files with equal content give the same results, however they are
/// written.
///
/// Defaults are values too; absent optional parts have none.
package struct ScenarioContent: Hashable, Sendable {
  /// One value with its key path, such as `network.delay`.
  package struct Value: Hashable, Sendable {
    package let path: String
    package let text: String

    package init(path: String, text: String) {
      self.path = path
      self.text = text
    }
  }

  /// The traffic: results of different workloads are not comparable.
  package var workload: [Value]
  /// The caches, their targets and goals.
  package var contenders: [Value]

  package init(workload: [Value], contenders: [Value]) {
    self.workload = workload
    self.contenders = contenders
  }

  /// Returns the content of a scenario; O(its size).
  package init(_ scenario: Scenario) {
    self.init(workload: [], contenders: [])
    for child in Mirror(reflecting: scenario).children {
      guard let name = child.label, !Self.words.contains(name) else { continue }
      let values =
        switch child.value {
        case let cache as CacheSection:
          Self.values(of: cache, at: Self.key(name), scenario.queryNames)
        // An array without elements is one of any type.
        case let targets as [TargetSection] where name == "targets": Self.values(of: targets)
        default: Self.values(of: child.value, at: Self.key(name))
        }
      if Self.ofContenders.contains(name) { contenders += values } else { workload += values }
    }
  }

  /// Returns the parts of any value, as ``init(_:)`` does for a scenario.
  package static func values(of value: Any) -> [Value] { values(of: value, at: "") }

  /// Fields for display only.
  private static let words: Set = ["name", "summary"]
  /// Fields that follow from others: the slot of a field, and whether it is a position in a tree.
  private static let derived: Set = ["slot", "isPlaceBelow"]
  private static let ofContenders: Set = ["cache", "policies", "targets", "goal"]
}

extension ScenarioContent {
  /// Returns the value, or the values that it consists of.
  ///
  /// Reflection includes fields that are added later, so none can be forgotten.
  private static func values(of value: Any, at path: String) -> [Value] {
    switch value {
    // Places, and the source text of values that are included as values.
    case is SourcePlace, is SourceNode: return []
    case let duration as Duration: return [Value(path: path, text: text(duration))]
    case let entry as PolicyEntry: return values(of: entry, at: path)
    case let value as PolicyValue:
      let content = Mirror(reflecting: value).children.first?.value
      return content.map { values(of: $0, at: path) } ?? [Value(path: path, text: "\(value)")]
    case let kind as QueryKind: return [Value(path: path, text: "\(kind.rawValue)")]
    case let metric as Metric: return [Value(path: path, text: metric.name)]
    case let numbers as [Int]: return [Value(path: path, text: "\(numbers)")]
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      guard let some = mirror.children.first else { return [] }
      return values(of: some.value, at: path)
    case .collection:
      let elements = mirror.children.map(\.value)
      let count = [Value(path: path, text: "\(elements.count)")]
      return (value is [ModelField] ? [] : count)
        + elements.enumerated().flatMap { place, element in
          guard let name = name(of: element) else {
            return values(of: element, at: "\(path).\(place)")
          }
          let values = values(of: element, at: "\(path).\(name)")
          // Its path already contains the name.
          return values.count > 1 ? values.filter { $0.path != "\(path).\(name).name" } : values
        }
    case .dictionary:
      return mirror.children.flatMap { pair in
        let sides = Mirror(reflecting: pair.value).children.map(\.value)
        guard let key = sides.first, let value = sides.last else { return [Value]() }
        return values(of: value, at: "\(path).\(text(ofKey: key))")
      }.sorted { $0.path < $1.path }
    case .struct, .class, .tuple:
      return mirror.children.filter { !derived.contains($0.label ?? "") }.flatMap { child in
        values(of: child.value, at: "\(path).\(key(child.label ?? ""))")
      }
    case .enum where !mirror.children.isEmpty:
      return mirror.children.flatMap { child in
        values(of: child.value, at: "\(path).\(key(child.label ?? ""))")
      }
    default:
      return [Value(path: path, text: "\(value)")]
    }
  }

  /// Omits a limit given to all presets if it is unlimited.
  private static func values(
    of cache: CacheSection, at path: String, _ queries: [String]
  ) -> [Value] {
    CacheSection.ofPolicies.flatMap { field in
      let isNone = cache[field.name] == .unlimited && PolicyAxis.named(field.name)?.isShared == true
      return isNone ? [] : values(of: cache[field.name] as Any, at: "\(path).\(field.name)")
    }
      + queries.enumerated().compactMap { place, name in
        cache.timeToLivePerMethod[DataModel.kind(ofShape: place)].map {
          Value(path: "\(path).time-to-live.\(name)", text: text($0))
        }
      }
  }

  /// The limit of each target, or the limits; in another order targets are the same.
  private static func values(of targets: [TargetSection]) -> [Value] {
    let limits = targets.flatMap { section in
      let policies = section.policyNames.isEmpty ? [nil] : section.policyNames.map(Optional.some)
      return policies.compactMap { policy in
        section.target(in: "", of: []).map { (path: $0.path(of: policy), text: "\($0.limit)") }
      }
    }
    return limits.distinct(\.path).map { path in
      Value(
        path: path,
        text: limits.filter { $0.path == path }.map(\.text).joined(separator: " "))
    }
  }

  private static func values(of entry: PolicyEntry, at path: String) -> [Value] {
    let base =
      switch entry.base {
      case .preset(let preset): Value(path: "\(path).preset", text: preset)
      case .command(let command): Value(path: "\(path).command", text: command)
      }
    return [base]
      + entry.overrides.map { Value(path: "\(path).\($0.field)", text: text($0.value)) }
  }

  /// Returns the name that identifies an element when others are added or removed.
  private static func name(of element: Any) -> String? {
    if let entry = element as? PolicyEntry { return entry.name }
    return Mirror(reflecting: element).children.first { $0.label == "name" }?.value as? String
  }

  private static func text(ofKey key: Any) -> String {
    (key as? QueryKind).map { "\($0.rawValue)" } ?? "\(key)"
  }

  private static func text(_ node: SourceNode) -> String {
    switch node.content {
    case .scalar(let text): text
    case .sequence(let nodes): "[\(nodes.map(text).joined(separator: ", "))]"
    case .mapping(let entries):
      "{\(entries.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}"
    }
  }

  /// Returns a duration in the largest unit that leaves it whole.
  private static func text(_ duration: Duration) -> String {
    let nanoseconds = duration.wholeNanoseconds
    let unit = Dimension.duration.units.last { nanoseconds.isMultiple(of: $0.factor) }
    guard nanoseconds != 0, let unit else { return "0 s" }
    return "\(nanoseconds / unit.factor) \(unit.name)"
  }

  /// Returns the spelling in scenario files: `fanOut` is `fan-out`.
  static func key(_ label: String) -> String {
    label.reduce(into: "") { key, letter in
      key += letter.isUppercase ? "-\(letter.lowercased())" : "\(letter)"
    }
  }
}

/// A place in a text file; line and column count from 1, columns in Unicode scalars.
package struct SourcePlace: Hashable, Comparable, Sendable {
  package var line: Int
  package var column: Int
  /// The file, if it is another than the one being read: a model's.
  package var file: String?

  package static func < (lhs: SourcePlace, rhs: SourcePlace) -> Bool {
    let files = (lhs.file ?? "", rhs.file ?? "")
    if files.0 != files.1 { return files.0 < files.1 }
    return lhs.line != rhs.line ? lhs.line < rhs.line : lhs.column < rhs.column
  }
}

package struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// In order of place; never empty.
  package var problems: [Problem]

  package struct Problem: Hashable, Sendable, CustomStringConvertible {
    package var file: String
    /// `nil` for a value from the command line.
    package var place: SourcePlace?
    package var cause: String
    package var remedy: String

    package init(file: String, place: SourcePlace?, cause: String, remedy: String) {
      self.file = file
      self.place = place
      self.cause = cause
      self.remedy = remedy
    }

    /// One line: `file:line:column: cause; remedy`; the cause may quote names from the file.
    package var description: String {
      let location = place.map { ":\($0.line):\($0.column)" } ?? ""
      return "\(file)\(location): \(cause); \(remedy)".legible
    }
  }

  package init(problems: [Problem]) {
    self.problems = problems
  }

  package var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

/// The names of other modules, so that a scenario can be checked against them with file, line and column.
package struct Vocabulary: Sendable {
  /// The eviction orders; `nil`: not checked.
  package var evictionOrders: [String]?
  /// The eviction orders that look ahead, which a cache cannot use: listed to be rejected.
  package var clairvoyantOrders: [String]
  /// The admissions; `nil`: not checked.
  package var admissions: [String]?

  package init(
    evictionOrders: [String]?, clairvoyantOrders: [String] = [],
    admissions: [String]? = nil
  ) {
    self.evictionOrders = evictionOrders
    self.clairvoyantOrders = clairvoyantOrders
    self.admissions = admissions
  }

  /// A list of names of another module.
  package enum Names: Hashable, Sendable {
    case evictionOrders, admissions
  }

  /// The names of a list; `nil`: not checked.
  package subscript(names: Names) -> [String]? {
    switch names {
    case .evictionOrders: evictionOrders
    case .admissions: admissions
    }
  }

  /// A vocabulary without checks.
  package static let unchecked = Vocabulary(evictionOrders: nil)
}
