import Analysis
import CommandLineInterface
import ResultModel
import Workloads

/// Runs the simulations of a question.
struct QuestionRun {
  let question: Question
  let seeds: Int
  let progress: ProgressLine

  /// Before a field that is set for the policy alone.
  private static let ownPrefix = "policy."

  /// - Throws: where a scenario does not take a setting, or a figure was not measured.
  func answer() async throws -> Answer {
    var sessions: [Session] = []
    var cells: [StudyCell] = []
    for row in question.rows {
      let session = Session(try ScenarioFile.load(row.scenario))
      for column in question.columns {
        let settings = row.settings + column.settings
        let varied = try session.setting(settings.filter { !$0.path.hasPrefix(Self.ownPrefix) })
        let policy = column.policy ?? row.policy ?? ""
        guard var contestant = try varied.file.contestants([policy]).first else {
          throw CommandFailure(.input, "\(row.scenario): there is no policy \(policy)")
        }
        let own = settings.filter { $0.path.hasPrefix(Self.ownPrefix) }
          .map { (field: String($0.path.dropFirst(Self.ownPrefix.count)), value: $0.text) }
        contestant.cache = try varied.file.cache(of: contestant, with: own)
        for seed in 0..<seeds {
          cells.append(
            StudyCell(
              session: sessions.count, seed: varied.file.scenario.seed &+ UInt64(seed),
              contestant: contestant))
        }
        sessions.append(varied)
      }
    }
    let runner = StudyRunner(sessions: sessions, journal: nil, progress: progress)
    let records = try await runner.run(cells)
    var values = question.rows.map { _ in
      question.columns.map { _ in question.figures.map { _ in [Double]() } }
    }
    var isOver = question.rows.map { _ in question.columns.map { _ in false } }
    for (cell, record) in zip(cells, records) {
      let (row, column) = cell.session.quotientAndRemainder(dividingBy: question.columns.count)
      let own = record.rows(scenario: "", policy: cell.contestant.name, seed: cell.seed)
      if question.heedsLimits, Figure.overLimit.value(in: own).map({ $0 > 1 }) ?? false {
        isOver[row][column] = true
      }
      for (place, figure) in question.figures.enumerated() {
        guard let value = figure.value(in: own) else {
          throw CommandFailure(
            .data,
            "\(question.name): \(question.rows[row].name), \(question.columns[column].name) has no "
              + "\(figure.name) on seed \(cell.seed ?? 0)")
        }
        values[row][column][place].append(value)
      }
    }
    return Answer(
      question: question, values: values, isOver: isOver, flips: try await flips())
  }

  /// Where the ranking of the columns' policies changes, in words.
  private func flips() async throws -> String? {
    guard case .flip(let scenario, let range) = question.form else { return nil }
    let session = Session(try ScenarioFile.load(scenario))
    guard let document = session.file.document else { return nil }
    let figure = question.figures[0]
    let study = SensitivityStudy(
      session: session, policies: question.contenders.compactMap { question.columns[$0].policy },
      figure: figure,
      direction: figure.terms[0].metric.polarity == .higherIsBetter ? .maximise : .minimise,
      seeds: seeds, firstSeed: session.file.scenario.seed, journal: nil, progress: progress)
    let response = try await study.response(
      to: try WorkloadField(range, in: document), perDoubling: 1, resolution: 1.0 / 64)
    return ResponseText(response: response, study: study).sentence
  }
}
