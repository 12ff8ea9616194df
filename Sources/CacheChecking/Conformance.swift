import CacheModel
package import CacheSimulation

/// Puts a cache before the cases of conformance, each with a cache of its own.
package struct Conformance: Sendable {
  private let simulation = Simulation(of: ConformanceWorld.workload)

  package init() {}

  /// The cases of a selection: the name of a group, or an address; `nil`: all.
  package static func cases(_ selection: String?) -> [ConformanceCase] {
    let all = ConformanceGroup.all.flatMap(\.cases)
    guard let selection else { return all }
    return all.filter { $0.address == selection || $0.address.hasPrefix(selection + "/") }
  }

  /// Runs a case over a cache that `start` begins for it, or over two.
  package func run(
    _ test: ConformanceCase,
    _ start: (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
  ) -> ConformanceResult {
    var launch = CacheLaunch(
      simulation.workload, place: 0, capacity: test.capacity, at: .zero)
    launch.hasUnknownMembers = test.hasUnknownMembers
    if test.needs.contains(.given) { launch.membership = .given }
    do throws(CacheFault) {
      let cache = try start(launch)
      if let feature = test.needs.first(where: { !cache.features.contains($0) }) {
        cache.end()
        return Self.notAsked(test, feature, launch)
      }
      var run = ConformanceRun(test, cache, launch, simulation)
      var result = withFault(run.run(start))
      if test.isRepeated, result.fault == nil {
        var again = ConformanceRun(test, try start(launch), launch, simulation)
        let second = again.run(start)
        if let difference = Self.difference(run.recorder, again.recorder) {
          result.findings.append(difference)
        } else if let fault = second.fault {
          result.fault = fault
          result = withFault(result)
        }
      }
      return result
    } catch {
      return withFault(
        ConformanceResult(test: test, findings: [], launch: launch, turns: [], fault: error))
    }
  }

  private static func notAsked(
    _ test: ConformanceCase, _ feature: CacheFeature, _ launch: CacheLaunch
  ) -> ConformanceResult {
    let finding = ConformanceResult.Finding(
      verdict: .info, asked: "to take part in `\(feature.rawValue)`",
      came: "hello names no such feature; the case was not run")
    var result = ConformanceResult(test: test, findings: [finding], launch: launch, turns: [])
    result.lacks = feature
    return result
  }

  /// What it did not keep to is a finding as well.
  private func withFault(_ result: ConformanceResult) -> ConformanceResult {
    guard let fault = result.fault else { return result }
    var result = result
    result.findings.append(
      ConformanceResult.Finding(
        verdict: .fail, turn: fault.turn, at: fault.at, asked: "a fault ends the case",
        came: fault.kind.meaning + (fault.detail.isEmpty ? "" : ": \(fault.detail)"),
        meaning: fault.kind.question ?? fault.kind.remedy, word: fault.kind.rawValue))
    return result
  }

  private static func difference(
    _ first: RecordingCache, _ second: RecordingCache
  ) -> ConformanceResult.Finding? {
    let count = max(first.answers.count, second.answers.count)
    for index in 0..<count {
      let answers = [first, second].map {
        $0.answers.indices.contains(index) ? $0.answers[index] : []
      }
      guard answers[0] != answers[1] else { continue }
      return ConformanceResult.Finding(
        verdict: .fail, turn: index + 1,
        at: first.turns.indices.contains(index) ? first.turns[index].at : nil,
        asked: "the same turns, told to another process", right: ["the same replies"],
        came: "other replies to turn \(index + 1)",
        meaning: CacheFault.Kind.notDeterministic.remedy,
        word: ConformanceRule.doesTheSame.rawValue)
    }
    return nil
  }
}
