package import Analysis
package import ResultModel

/// A verdict for a terminal: the recommendation, its cost, its reason and robustness, and then the table, the
/// best policy first and the bounds apart.
package enum VerdictBlock {
  private static let indent = 12

  package static func text(
    _ scenario: ScenarioVerdict, rows: [ResultRow], note: String? = nil, style: TextStyle
  ) -> String {
    let own = rows.filter { $0.scenario == scenario.scenario && !$0.policy.isEmpty }
    let head = VerdictText.head(scenario)
    let answer = WrappedText.lines(
      head.prefix(1).uppercased() + head.dropFirst(), width: style.width, indent: 2)
    let facts = facts(scenario, own).flatMap { label, text in
      WrappedText.labelled("  " + label, text, indent: indent, width: style.width)
    }
    let notes =
      (PolicyTable.pushedToAll(own).map {
        [$0 == "0 B" ? "No events were pushed." : "Events pushed: \($0) to every policy."]
      } ?? [])
      + [fewer(scenario, own)].compactMap(\.self)
      + BestByCriterion.lines(of: scenario.scenario, rows) + (note.map { [$0] } ?? [])
    let lines =
      [style.paint(title(scenario), .strong), ""] + answer.map { style.paint($0, .strong) } + facts
      + ["", PolicyTable.table(of: scenario, rows: rows).terminal(style: style)]
    return lines.joined(separator: "\n")
      + (notes.isEmpty ? "" : "\n" + style.fitted(notes.map { $0 + "\n" }.joined()))
  }

  /// Returns the scenario, and the number of its runs.
  private static func title(_ scenario: ScenarioVerdict) -> String {
    guard let verdict = scenario.verdict ?? scenario.recorded?.ifFresh, verdict.seeds > 0 else {
      return scenario.scenario
    }
    if scenario.recorded != nil, verdict.seeds == 1 { return "\(scenario.scenario) · 1 recording" }
    return "\(scenario.scenario) · \(VerdictText.seeds(verdict))"
  }

  /// The policies whose rows have fewer seeds than the verdict.
  private static func fewer(_ scenario: ScenarioVerdict, _ rows: [ResultRow]) -> String? {
    guard let verdict = scenario.verdict, verdict.seeds > 1 else { return nil }
    let counts = rows.distinct(\.policy).compactMap { policy in
      rows.first { $0.policy == policy && $0.metric == .reads && $0.class == .all }?
        .sampleCount.map { (policy: policy, count: $0) }
    }
    let numbers = counts.map(\.count).filter { $0 < verdict.seeds }.distinct(\.self).sorted()
    guard !numbers.isEmpty else { return nil }
    let texts = numbers.map { number in
      let policies = counts.filter { $0.count == number }.map(\.policy)
      let isAll = policies.count == counts.count
      return (isAll ? "All rows" : "\(policies.joined(separator: ", "))")
        + ": the first \(verdict.replicate.text(number)) only"
    }
    return "\(texts.joined(separator: "; ")); the verdict is of \(VerdictText.seeds(verdict))."
  }

  private static func facts(
    _ scenario: ScenarioVerdict, _ rows: [ResultRow]
  ) -> [(label: String, text: String)] {
    let verdict = scenario.verdict
    let equivalence: Equivalence? =
      if case .equivalent(let all) = verdict?.outcome { all } else { nil }
    let judged = scenario.recorded?.ifFresh ?? verdict
    let remark = judged.flatMap { VerdictText.remark($0, scenario.exceededLimits) }
    return [
      ("Compared", comparison(verdict, rows)), ("Why", VerdictText.reason(scenario)),
      ("Choice", equivalence.flatMap { VerdictText.preference($0) ?? VerdictText.sameness($0) }),
      ("Robust", VerdictText.elsewhere(scenario)), ("Note", remark),
    ].compactMap { label, text in text.map { (label: label, text: $0) } }
  }

  /// Returns what else the recommended policy costs or saves, compared with the runner-up.
  static func comparison(_ verdict: ShipVerdict?, _ rows: [ResultRow]) -> String? {
    guard case .ship(let recommendation) = verdict?.outcome, let other = recommendation.runnerUp
    else { return nil }
    let (own, theirs) = (
      PolicyFigures(of: recommendation.contender, rows), PolicyFigures(of: other, rows)
    )
    let costs: [(Metric, Statistic, ResultClass, String)] = [
      (.bytesFetched, .value, .total, "fetched"), (.readWait, .mean, .all, "wait"),
      (.staleReadShare, .value, .all, "stale reads"), (.predictedBytes, .peak, .total, "memory"),
    ]
    let parts = costs.compactMap { metric, statistic, name, word -> String? in
      guard let mine = own.value(metric, statistic, in: name),
        let other = theirs.value(metric, statistic, in: name)
      else { return nil }
      let difference = mine - other
      let amount =
        metric.unit == .ratio
        ? "\(HumanNumber.points(difference.magnitude)) points"
        : HumanNumber.text(.real(difference.magnitude), unit: metric.unit)
      // A value that rounds to zero is not a cost.
      guard amount.contains(where: { ("1"..."9").contains($0) }) else { return nil }
      return "\(amount) \(difference > 0 ? "more" : "less") \(word)"
    }
    return "with \(other): "
      + (parts.isEmpty
        ? "the same bytes, wait, staleness and memory" : parts.joined(separator: ", "))
  }
}

extension VerdictBlock {
  /// Returns the meaning of the tables' columns, and of lines that are not self-explanatory.
  package static func legend(
    of verdicts: [ScenarioVerdict], rows: [ResultRow], style: TextStyle
  ) -> String {
    let isOpen = rows.contains { $0.metric == .hitUnknown && ($0.value?.asDouble ?? 0) > 0 }
    var lines = PolicyTable.legend(
      of: verdicts.map { PolicyTable.table(of: $0, rows: rows) }, isOpen: isOpen)
    let hasMargin = verdicts.contains {
      if case .ship(let recommendation) = $0.verdict?.outcome {
        recommendation.lead != nil
      } else {
        false
      }
    }
    if hasMargin, let index = lines.firstIndex(where: { $0.name == "±" }) {
      lines[index].meaning += ", simultaneous for margins, so wider"
    }
    let causes = verdicts.filter { VerdictText.reason($0) != nil }.compactMap {
      $0.margin?.main?.outcome
    }
    lines += Metric.causes.filter { causes.contains($0.outcome) }.map {
      (name: $0.name, meaning: $0.meaning)
    }
    let asked = verdicts.compactMap(\.robustness).filter { !$0.alternatives.isEmpty }
    if let alternatives = asked.first?.alternatives {
      lines.append((name: "checks", meaning: alternatives.map(\.label).joined(separator: ", ")))
    }
    if let open = asked.first(where: { !$0.open.isEmpty }) {
      lines.append(
        (name: "undecided", meaning: "too few \(open.verdict.replicate)s there to decide"))
    }
    let indent = (lines.map(\.name.count).max() ?? 0) + 2
    return lines.flatMap { name, meaning in
      WrappedText.labelled(name, meaning, indent: indent, width: style.width)
    }.map { $0 + "\n" }.joined()
  }
}
