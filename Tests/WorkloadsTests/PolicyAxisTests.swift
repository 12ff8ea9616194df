import CacheModel
import Foundation
import Testing
import Text

@testable import Workloads

@Suite("The axes of a policy")
struct PolicyAxisTests {
  /// The values that no policy of the scenarios has; the bounds do not count.
  private func unexercised(in scenarios: [Scenario]) -> [String] {
    let cases = scenarios.flatMap { scenario in
      scenario.policies.filter { !$0.isBound }.compactMap { entry in
        scenario.composition(for: entry.name).map { ($0, scenario) }
      }
    }
    return AxisValue.all
      .filter { value in !cases.contains { value.isExercised($0.0, $0.1) } }
      .map(\.description)
  }

  @Test("Every value of every axis is exercised by a scenario")
  func exercised() throws {
    let scenarios = try ScenarioFiles.names.map { try ScenarioFiles.load($0) }
    #expect(unexercised(in: scenarios) == [])
  }

  @Test("A value that no scenario has is missed by name")
  func missed() throws {
    #expect(unexercised(in: []).count == AxisValue.all.count)
    let some = ["index-storm", "new-arrivals", "photo-albums", "tight-memory"].map { $0 + ".yaml" }
    let others = try ScenarioFiles.names.filter { !some.contains($0) }
      .map { try ScenarioFiles.load($0) }
    #expect(
      Set(unexercised(in: others)).isSuperset(of: [
        "admission: tinylfu", "admission: probation", "retention: observed",
        "event-admission: probation", "coalescing-window: another",
        "event-admission.index: of their own",
      ]))
  }

  /// Both ends of a quantity, every word of a choice.
  private func samples(of axis: PolicyAxis) -> [PolicyValue] {
    let values: [PolicyValue] =
      switch axis.field.form {
      case .quantity(.share, let range): [.share(range.lowerBound), .share(range.upperBound / 2)]
      case .quantity(.duration, let range):
        [range.lowerBound, range.upperBound].map { .duration(.nanoseconds(Int64($0))) }
      case .quantity(_, let range): [range.lowerBound, range.upperBound].map { .number(Int64($0)) }
      case .choice(let words): words.map { .word($0) }
      case .list: [.methods([QueryMethod(rawValue: 3)])]
      default: [.word("one"), .word("another")]
      }
    return values + (axis.field.mayBeUnlimited ? [.unlimited] : [])
  }

  /// Every stored property of a composition and of its parts, as text.
  private func properties(of policy: PolicyComposition) -> [String: String] {
    let parts: [String: Any?] = [
      "capacity": policy.capacity, "freshness": policy.freshness,
      "releaseBuffer": policy.releaseBuffer, "storage": policy.storage,
    ]
    var properties: [String: String] = [:]
    for child in Mirror(reflecting: policy).children {
      let label = child.label ?? ""
      guard case let part?? = parts[label] else {
        properties[label] = "\(child.value)"
        continue
      }
      for field in Mirror(reflecting: part).children {
        properties["\(label).\(field.label ?? "")"] = "\(field.value)"
      }
    }
    return properties
  }

  @Test("No axis is forgotten: every property of a composition is written by one, and read back")
  func complete() {
    let whole = PolicyComposition(
      evictionOrder: "lru", capacity: Capacity(entities: 1, bytes: 1), retention: .none,
      releaseBuffer: ReleaseBuffer(queries: 1, age: .zero), freshness: .neverExpires,
      maximumQueries: 1, storage: DiskStorage())
    let before = properties(of: whole)
    var written: Set<String> = []
    for axis in PolicyAxis.all {
      for value in samples(of: axis) {
        var other = whole
        axis.write(&other, value)
        #expect(axis.read(other) == value, "\(axis.name)")
        let after = properties(of: other)
        written.formUnion(before.keys.filter { after[$0] != nil && after[$0] != before[$0] })
      }
    }
    // Times to live of methods are keys of their own.
    #expect(Set(before.keys).subtracting(written) == ["freshness.perMethod"])
  }

  // MARK: The document

  /// Without the end of its last cell, which may say more than the summary.
  private func row(of axis: PolicyAxis) -> String {
    let field = axis.field
    let origin = axis.name.contains(".") ? EventOrigin.allCases[0].rawValue : nil
    func general(_ text: String) -> String {
      origin.map { text.replacingOccurrences(of: $0, with: "ORIGIN") } ?? text
    }
    let values = Preset.all.filter { !PolicyEntry.bounds.contains($0.name) }.compactMap {
      axis.read($0.composition(CacheSection().allowance(for: .fileLibrary)))
    }
    let standard =
      field.standard ?? values.first.flatMap { one in values.allSatisfy { $0 == one } ? one : nil }
    let ofOrigin = field.form == .list ? "`[]`" : "as for other events"
    let cells = [
      "`\(general(axis.name))`", unit(of: field.form), range(of: field),
      origin == nil ? standard.map { text($0, field.form) } ?? "the preset's" : ofOrigin,
      general(field.summary),
    ]
    return "| " + cells.joined(separator: " | ").replacingOccurrences(of: "|  |", with: "| |")
  }

  private func unit(of form: FieldForm) -> String {
    switch form {
    case .quantity(.duration, _): "duration"
    case .quantity(.size, _): "size"
    case .quantity(.count(let plural), _): plural
    case .quantity: "share"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .registered(.evictionOrders): "a name of `tidemark list policies`"
    case .registered(.admissions): "a name of `tidemark list admissions`"
    default: "a list of methods"
    }
  }

  private func range(of field: PolicyField) -> String {
    guard case .quantity(let dimension, let range) = field.form else { return "" }
    let highest = number(range.upperBound, dimension)
    return (range.lowerBound == 0 ? "0" : number(range.lowerBound, dimension)) + " … \(highest)"
      + (field.mayBeUnlimited ? ", or `unlimited`" : "")
  }

  private func number(_ number: Double, _ dimension: Text.Dimension) -> String {
    switch dimension {
    case .duration: Words.duration(.nanoseconds(Int64(number)))
    case .share: Words.share(number)
    case .size:
      dimension.units.last { Int64(number).isMultiple(of: $0.factor) }
        .map { "\(Int64(number) / $0.factor) \($0.name)" } ?? ""
    default: Words.grouped(Int(number))
    }
  }

  private func text(_ value: PolicyValue, _ form: FieldForm) -> String {
    guard case .quantity(let dimension, _) = form else { return "`\(value.word ?? "")`" }
    return switch value {
    case .duration(let duration): Words.duration(duration)
    case .number(let whole): number(Double(whole), dimension)
    case .share(let share): Words.share(share)
    default: "`unlimited`"
    }
  }

  @Test("The table of the document has every axis as it is declared")
  func document() throws {
    let file = ScenarioFiles.folder.deletingLastPathComponent()
      .appending(path: "Documentation/Scenarios.md")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    for axis in PolicyAxis.all {
      let row = row(of: axis)
      if axis.name.hasSuffix(".watcher") || axis.name.hasSuffix(".user") { continue }
      #expect(lines.contains { $0.hasPrefix(row) }, "no line begins with\n\(row)")
    }
  }
}
