import Analysis
import CacheModel
import CommandLineInterface
import ResultModel
import Workloads

/// Policies on a workload with varied fields, point by point.
struct SensitivityStudy: Sendable {
  struct Point: Sendable {
    var texts: [String]
    /// The values of each policy, by seed.
    var values: [[Double]]
    /// The means of all figures, for tables.
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

  /// The effect of one field, and where it changes the ranking.
  struct Response: Sendable {
    var field: WorkloadField
    /// The points by position, ascending.
    var points: [(place: Double, point: Point)]
    var flips: [FlipSearch.Flip]
    /// The best policy at the first position.
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

struct WorkloadField: Sendable {
  private enum Domain: Sendable {
    case list([String])
    case range(FieldRange)
  }

  /// The path, as written.
  let path: String
  private let domain: Domain

  /// Keys that do not affect the workload.
  private static let others: Set = ["name", "description", "seed", "policies", "targets", "goal"]

  init(_ text: String, in document: ScenarioDocument) throws {
    let (path, values) = try TuningParameter.parts(of: text)
    let top = String(path.prefix { $0 != "." })
    guard !Self.others.contains(top) else {
      throw CommandFailure(
        .input,
        "--vary \(text): `\(top)` is not a part of the workload; name a "
          + "field such as network.loss, users.NAME.think or writers.NAME.rate")
    }
    let field: ScenarioField
    do throws(ScenarioError) {
      field = try document.field(path)
    } catch {
      throw CommandFailure(.input, "--vary \(text): \(error)")
    }
    self.path = path
    domain =
      field.isNumeric && values.contains("..")
      ? .range(try FieldRange(values, of: field))
      : .list(try TuningParameter.list(values, in: text) { try field.spelling(of: $0) })
  }

  /// Whether there are values in between, so that a change can be narrowed down.
  var isContinuous: Bool {
    if case .range = domain { return true }
    return false
  }

  /// Returns the initial positions: several per doubling, or all values of a list.
  func places(perDoubling count: Int) -> [Double] {
    switch domain {
    case .range(let range): range.places(perDoubling: count)
    case .list(let values):
      values.indices.map { Double($0) / Double(max(values.count - 1, 1)) }
    }
  }

  func text(at place: Double) -> String {
    switch domain {
    case .range(let range): range.text(at: place)
    case .list(let values): values[Int((place * Double(values.count - 1)).rounded())]
    }
  }
}

extension SimulationInput {
  /// Returns the input with varied fields of its file.
  func setting(_ values: [(path: String, text: String)]) throws -> SimulationInput {
    guard var document = file.document else {
      throw CommandFailure(
        .input, "\(argument): a recording is drawn from no fields; name a scenario")
    }
    for (path, text) in values { document = try document.setting(path, to: text) }
    let subject = values.map { "--vary \($0.path)=\($0.text)" }.joined(separator: " ")
    var input = self
    input.file.scenario = try document.scenario(
      vocabulary: .all, subject: "\(file.path) with \(subject)")
    return input
  }
}
