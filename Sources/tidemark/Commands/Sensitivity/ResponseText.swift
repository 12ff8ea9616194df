import Analysis
import CommandLineInterface
import Reporting
import ResultModel

/// What a field of the workload does to the ranking, in a sentence and a table.
struct ResponseText {
  let response: SensitivityStudy.Response
  let study: SensitivityStudy

  /// "network.loss: lru until 31 % (28 % … 34 %), then spacedrive".
  var sentence: String {
    let field = response.field
    guard let last = response.flips.last else {
      let ends = [response.points.first, response.points.last].compactMap { $0?.point.texts.first }
      return "\(field.path): \(response.first) throughout, from \(ends.joined(separator: " to "))"
    }
    let parts = response.flips.map { flip in
      let at =
        field.isContinuous
        ? "\(field.text(at: (flip.low + flip.high) / 2)) (\(interval(of: flip)))"
        : "\(field.text(at: flip.low)), not at \(field.text(at: flip.high))"
      return "\(flip.before) until \(at)"
    }
    return "\(field.path): " + parts.joined(separator: ", then ") + ", then \(last.after)"
  }

  /// From where on who was ahead is no longer so beyond doubt, to where the other is.
  private func interval(of flip: FlipSearch.Flip) -> String {
    switch (flip.sureBefore, flip.sureAfter) {
    case (let low?, let high?):
      return "\(response.field.text(at: low)) … \(response.field.text(at: high))"
    case (let low?, nil):
      return "from \(response.field.text(at: low)) on not told apart"
    case (nil, let high?):
      return "told apart from \(response.field.text(at: high)) on only"
    case (nil, nil):
      return "nowhere told apart"
    }
  }

  var table: TextTable {
    var table = TextTable(
      columns: [.init(response.field.path, .right)] + study.policies.map { .init($0, .right) }
        + [.init("best")])
    for (_, point) in response.points {
      let means = point.values.map { $0.reduce(0, +) / Double(max($0.count, 1)) }
      let best = study.direction == .maximise ? means.max() : means.min()
      let names = zip(study.policies, means).filter { $0.1 == best }.map(\.0)
      table.append(
        [.init(point.texts[0])]
          + means.map {
            .init(
              HumanNumber.text(.real($0), unit: study.figure.unit),
              tone: $0 == best ? .good : .plain)
          } + [.init(names.joined(separator: " = "))])
    }
    return table
  }
}
