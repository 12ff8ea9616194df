import Analysis
import CacheModel
import CommandLineInterface
import ResultModel
import Workloads

/// Policies under a workload whose fields are set otherwise, one point after the other.
struct SensitivityStudy: Sendable {
  /// What was seen at one point.
  struct Point: Sendable {
    /// One for each field that was set.
    var texts: [String]
    /// Of each policy, seed by seed.
    var values: [[Double]]
    /// The means of everything, for tables.
    var rows: [ResultRow]
  }

  let input: SimulationInput
  let policies: [String]
  let figure: Figure
  let direction: Goal.Direction
  let seeds: Int
  let firstSeed: UInt64
  let journal: StudyJournal?
  let progress: ProgressLine

  /// Runs every policy on every seed of each point, on all cores.
  func points(_ settings: [[(path: String, text: String)]]) async throws -> [Point] {
    let inputs = try settings.map { try input.setting($0) }
    let contenders = try inputs.map { try $0.file.contenders(policies) }
    let cells = inputs.indices.flatMap { place in
      (0..<seeds).flatMap { seed in
        contenders[place].map {
          StudyCell(
            input: place, seed: firstSeed &+ UInt64(seed), contender: $0, isChecked: seed == 0)
        }
      }
    }
    let runner = StudyRunner(inputs: inputs, journal: journal, progress: progress)
    let records = try await runner.run(cells)
    return try settings.indices.map { place in
      var values = policies.map { _ in [Double]() }
      var rows = policies.map { _ in RowsOverSeeds() }
      for (cell, record) in zip(cells, records) where cell.input == place {
        guard let policy = policies.firstIndex(of: cell.contender.name) else { continue }
        let own = record.rows(
          scenario: input.name, policy: cell.contender.name, seed: cell.seed)
        guard let value = figure.value(in: own) else {
          let at = settings[place].map { "\($0.path)=\($0.text)" }.joined(separator: " ")
          throw CommandFailure(
            .data,
            "\(input.name) with \(at): \(cell.contender.name) has no \(figure.name) on seed "
              + "\(cell.seed ?? 0), so nothing can be compared there; vary less far")
        }
        values[policy].append(value)
        rows[policy].append(own)
      }
      return Point(
        texts: settings[place].map(\.text), values: values, rows: rows.flatMap(\.means))
    }
  }

  // MARK: One field at a time

  /// What one field does, and where it changes the ranking.
  struct Response: Sendable {
    var field: WorkloadField
    /// By place, ascending.
    var points: [(place: Double, point: Point)]
    var flips: [FlipSearch.Flip]
    /// The best at the first place.
    var first: String
  }

  func response(
    to field: WorkloadField, perDoubling: Int, resolution: Double
  ) async throws -> Response {
    var search = FlipSearch(contenders: policies, direction: direction, resolution: resolution)
    var known: [String: Point] = [:]
    var seen: [(place: Double, point: Point)] = []
    let places = field.places(perDoubling: perDoubling)
    let first = try await points(places.map { [(field.path, field.text(at: $0))] })
    for (place, point) in zip(places, first) {
      search.record(place, point.values)
      if known.updateValue(point, forKey: field.text(at: place)) == nil {
        seen.append((place, point))
      }
    }
    while field.isContinuous, let place = search.next {
      let text = field.text(at: place)
      if let point = known[text] {
        search.record(place, point.values)
        continue
      }
      guard let point = try await points([[(field.path, text)]]).first else { break }
      search.record(place, point.values)
      known[text] = point
      seen.append((place, point))
    }
    return Response(
      field: field, points: seen.sorted { $0.place < $1.place }, flips: search.flips,
      first: search.leaders.first?.leader ?? "")
  }
}
