import CacheModel
import Text
import Workloads

/// The text of a scenario during its generation: one value per line, followed by its origin.
struct FittedText {
  private(set) var lines: [String] = []

  /// The column of comments, unless the value is longer.
  private static let commentColumn = 34
  private static let width = 100

  mutating func add(_ indent: Int, _ text: String, _ note: String? = nil) {
    let line = String(repeating: " ", count: indent) + text
    guard let note else {
      lines.append(line)
      return
    }
    let padding = max(2, Self.commentColumn - line.count)
    let whole = line + String(repeating: " ", count: padding) + "# " + note
    if whole.count <= Self.width {
      lines.append(whole)
    } else {
      comment(indent, note)
      lines.append(line)
    }
  }

  mutating func add(
    _ indent: Int, _ key: String, _ estimate: Estimate, _ text: (Double) -> String
  ) {
    add(indent, "\(key): \(text(estimate.value))", estimate.origin)
  }

  mutating func comment(_ indent: Int, _ text: String) {
    let margin = String(repeating: " ", count: indent) + "# "
    for line in Words.wrapped(text, indent: 0, width: Self.width - margin.count) {
      lines.append(margin + line.drop { $0 == " " })
    }
  }

  mutating func gap() { lines.append("") }

  // MARK: Values

  /// Returns a number with four significant digits, without an exponent.
  static func number(_ value: Double) -> String {
    guard value.isFinite, value != 0 else { return "0" }
    var scale: Int64 = 1
    while scale < 1_000_000_000, abs(value) * Double(scale) < 1_000 { scale *= 10 }
    var units = Int64((abs(value) * Double(scale)).rounded())
    while scale > 1, units % 10 == 0 {
      scale /= 10
      units /= 10
    }
    var digits = "\(units % scale)"
    while digits.count < "\(scale)".count - 1 { digits = "0" + digits }
    return (value < 0 ? "-" : "") + "\(units / scale)" + (scale > 1 ? ".\(digits)" : "")
  }

  /// Returns a duration in the largest unit of which there is at least one, except days, which would lose
  /// precision.
  static func duration(_ nanoseconds: Double) -> String {
    let unit =
      Dimension.duration.units.last { nanoseconds >= Double($0.factor) && $0.name != "d" }
      ?? ("ns", 1)
    return unit.name == "ns"
      ? "\(Int64(nanoseconds.rounded())) ns"
      : "\(number(nanoseconds / Double(unit.factor))) \(unit.name)"
  }

  static func rate(_ perSecond: Double) -> String {
    guard perSecond > 0 else { return "0/s" }
    let unit =
      Dimension.rate.units.first { perSecond * Double($0.factor) >= 1 } ?? ("/d", 86_400)
    return number(perSecond * Double(unit.factor)) + unit.name
  }

  static func share(_ share: Double) -> String { number(share * 100) + " %" }

  /// A whole count, in the singular if that is a unit of the key.
  static func counted(_ count: Int, _ singular: String) -> String {
    let plural = Plural.of(singular)
    let isOne = count == 1 && Dimension.count(plural).factor(of: singular) != nil
    return "\(count) \(isOne ? singular : plural)"
  }

  static func count(_ value: Double, _ noun: String) -> String { "\(number(value)) \(noun)" }

  /// Returns shares that add up to 100%, in flow style; zero shares are omitted.
  static func mix(_ names: [String], _ shares: [Double]) -> String {
    var tenths = shares.map { Int(($0 * 1_000).rounded()) }
    // The rounding error is added to the largest share.
    if let largest = tenths.indices.max(by: { tenths[$0] < tenths[$1] }) {
      tenths[largest] += 1_000 - tenths.reduce(0, +)
    }
    let parts = zip(names, tenths).filter { $0.1 > 0 }
      .map { "\($0.0): \(number(Double($0.1) / 10)) %" }
    return "{" + parts.joined(separator: ", ") + "}"
  }
}

/// An estimate from observations, or a default if there are too few.
package struct Estimate: Hashable, Sendable {
  package var value: Double
  package var count: Int
  /// The required number of observations.
  package var needed: Int
  package var noun: String
  /// Whether the value is estimated from observations.
  package var isMeasured: Bool
  /// The reason for a default, if it is not that the observations are too few.
  var lack: String?

  init(
    _ measured: Double?, from count: Int, _ noun: String, needed: Int, default standIn: Double
  ) {
    isMeasured = measured != nil && count >= needed
    value = isMeasured ? measured ?? standIn : standIn
    self.count = count
    self.needed = needed
    self.noun = noun
  }

  /// The origin for a comment.
  var origin: String {
    if isMeasured { return "from \(Words.count(count, noun))" }
    let few = "\(Words.count(needed, noun)) are needed, \(Words.grouped(count)) were recorded"
    return "the default: \(lack ?? few)"
  }
}

enum SortedList {
  /// Returns a quantile of the list; `nil` for an empty one.
  static func quantile<Value>(_ share: Double, of sorted: [Value]) -> Value? {
    sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
  }
}

/// One user's steps in order, without automatic repetitions of the app and without permanently visible views.
struct UserSteps {
  private(set) var steps: [SessionAction] = []
  /// The queries without an argument that are observed for the whole recording, in order of their first read.
  private(set) var watched: [UInt32] = []
  /// The times between redraws of visible views, in nanoseconds.
  private(set) var redraws: [Int64] = []

  init(_ client: ClientScript, _ traits: QueryTraits) {
    var left = [Bool](repeating: false, count: traits.isList.count)
    for action in client.actions {
      if case .unobserve(let query) = action.kind { left[Int(query)] = true }
    }
    let first = client.actions.first?.at
    for action in client.actions {
      guard action.at == first, case .observe(let query) = action.kind else { break }
      if traits.isList[Int(query)], !left[Int(query)] { watched.append(query) }
    }
    var lastRedraw: Instant?
    for action in client.actions {
      switch action.kind {
      case .redraw:
        if let lastRedraw, lastRedraw < action.at {
          redraws.append(lastRedraw.duration(to: action.at).wholeNanoseconds)
        }
        lastRedraw = action.at
      case .tag, .write, .maintenance: break
      case .observe(let query) where action.at == first && watched.contains(query): break
      case .read, .observe, .unobserve, .open: steps.append(action)
      }
    }
  }

  /// Returns the time between a step and the previous one, in nanoseconds.
  func pause(before step: Int) -> Int64 {
    steps[step - 1].at.duration(to: steps[step].at).wholeNanoseconds
  }
}

/// The properties of a workload's queries for a user, by number.
struct QueryTraits {
  /// Whether a query is sent while the user types.
  let isTyped: [Bool]
  /// The number of its letters.
  let letters: [Int64]
  /// Whether it has no argument except the user, so that it may remain visible.
  let isList: [Bool]

  init(_ workload: Workload) {
    let shapes = workload.queries.map { workload.model.shape(of: $0.kind) }
    isTyped = shapes.map { $0?.typedField != nil }
    isList = shapes.map { $0?.isAskedByItself ?? false }
    letters = workload.queries.map { Int64($0.prefixLength) }
  }
}
