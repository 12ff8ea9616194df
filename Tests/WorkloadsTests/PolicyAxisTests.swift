import CacheModel
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
  private func properties(of policy: CachePolicy) -> [String: String] {
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
    let whole = CachePolicy(
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
}
