/// A way in which an app's data change.
package struct OperationDeclaration: Hashable, Sendable {
  package var name: String
  package var effect: Effect
  /// Which entities it falls on; of one that creates, not used.
  package var preference = Preference.any
  /// How many entities one commit concerns, on average.
  package var batch = 1.0
  /// The reference that the entities of one commit have in common; `nil`: each is chosen for itself.
  package var beside: Int?
  /// So many bytes more has what it changes from then on.
  package var growth = 0
  /// What else the same commit changes.
  package var touches: [Touch] = []

  package init(name: String, effect: Effect) {
    self.name = name
    self.effect = effect
  }

  /// Whether one commit may change several entities; a deletion is none.
  package var mayChangeSeveral: Bool {
    if case .delete = effect { return false }
    return batch > 1 || touches.contains { $0.through != nil }
  }

  package enum Effect: Hashable, Sendable {
    /// An entity of a type appears.
    case create(type: Int)
    /// A field gets another value, drawn as for a new entity.
    case set(type: Int, field: Int)
    /// A number grows, or falls.
    case add(type: Int, field: Int, Int64)
    /// A flag changes; a list of references gains one that it lacks, or loses one that it has.
    case toggle(type: Int, field: Int)
    /// A list of references gains one, or loses one.
    case link(type: Int, field: Int)
    case unlink(type: Int, field: Int)
    /// An entity goes, and with it whatever it owns.
    case delete(type: Int)

    /// The field that it changes; `nil` of what creates or deletes.
    var field: Int? {
      switch self {
      case .create, .delete: nil
      case .set(_, let field), .add(_, let field, _), .toggle(_, let field), .link(_, let field),
        .unlink(_, let field):
        field
      }
    }

    /// The type of the entities that it concerns.
    package var type: Int {
      switch self {
      case .create(let type), .set(let type, _), .add(let type, _, _), .toggle(let type, _),
        .link(let type, _), .unlink(let type, _), .delete(let type):
        type
      }
    }
  }

  /// Which entities of the type are chosen.
  package enum Preference: Hashable, Sendable {
    case any
    /// By a popularity that all groups and users share.
    case popular(Double)
    /// By age, the newest first.
    case newest(Double)
  }

  /// A field of an entity that the changed one refers to: a time becomes now, a number grows by one.
  package struct Touch: Hashable, Sendable {
    /// The field of the changed entity, of a list the one that it just gained or lost; `nil`: a field of
    /// that entity itself.
    package var through: Int?
    package var type: Int
    package var field: Int

    package init(through: Int?, type: Int, field: Int) {
      self.through = through
      self.type = type
      self.field = field
    }
  }
}
