package import CacheModel
import Text

/// What batches of one origin do otherwise than events in general, as far as it was chosen.
package struct BatchChoices: Hashable, Sendable {
  package var admission: EventAdmission?
  package var membership: Membership?
  /// The forms of query of which every list is stale after a batch.
  package var staleKinds: [QueryKind]?

  /// Puts what was chosen in the place of what a preset does with such batches.
  func replace(in rule: BatchRule?) -> BatchRule {
    var rule = rule ?? BatchRule()
    rule.admission = admission ?? rule.admission
    rule.membership = membership ?? rule.membership
    rule.staleMethods = staleKinds?.map(\.method) ?? rule.staleMethods
    return rule
  }

  static func fields(of origin: EventOrigin, _ model: DataModel) -> [Field<CacheSection>] {
    [
      choice(
        "event-admission", of: origin, \.admission,
        "what becomes of entities that are not cached in a batch of the \(origin.rawValue)"),
      choice(
        "membership", of: origin, \.membership,
        "what happens to lists at a batch of the \(origin.rawValue)"),
      Field(
        name: "marks-stale.\(origin.rawValue)", form: .list,
        summary: "methods of which every list is stale after a batch of the \(origin.rawValue)"
      ) {
        let names = model.shapes.map(\.name)
        guard case .sequence(let nodes) = $1.content, nodes.count <= names.count else {
          $2.report(
            $1.place, "a list of methods is expected here", "write `[\(names.first ?? "method")]`")
          return
        }
        var kinds: [QueryKind] = []
        for node in nodes {
          guard let name = $2.name(node, what: "method", among: names),
            let place = names.firstIndex(of: name)
          else { return }
          kinds.append(DataModel.kind(ofShape: place))
        }
        $0.batches[origin, default: BatchChoices()].staleKinds = kinds
      },
    ]
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, of origin: EventOrigin, _ path: FieldPath<BatchChoices, Value?>,
    _ summary: String
  ) -> Field<CacheSection> {
    let names = Value.allCases.map(\.rawValue)
    return Field(name: "\(name).\(origin.rawValue)", form: .choice(names), summary: summary) {
      guard let chosen = $2.name($1, what: name, among: names) else { return }
      $0.batches[origin, default: BatchChoices()][keyPath: path] = Value(rawValue: chosen)
    }
  }
}
