/// A kind of change of an app's data.
package struct OperationDeclaration: Hashable, Sendable {
  package var name: String
  package var effect: Effect
  /// How its entities are chosen; unused for creations.
  package var preference = Preference.any
  /// The mean number of entities per commit.
  package var batch = 1.0
  /// The reference shared by the entities of one commit; `nil`: each is chosen independently.
  package var beside: Int?
  /// The bytes by which each changed entity grows.
  package var growth = 0
  /// Further changes in the same commit.
  package var touches: [Touch] = []

  /// Whether one commit may change several entities; deletions do not count.
  package var mayChangeSeveral: Bool {
    if case .delete = effect { return false }
    return batch > 1 || touches.contains { $0.through != nil }
  }

  package enum Effect: Hashable, Sendable {
    case create(type: Int)
    /// Sets a field to a new value, drawn as for a new entity.
    case set(type: Int, field: Int)
    case add(type: Int, field: Int, Int64)
    /// Changes a flag; or adds a missing reference to a list, or removes one.
    case toggle(type: Int, field: Int)
    /// Adds a reference to a list, or removes one.
    case link(type: Int, field: Int)
    case unlink(type: Int, field: Int)
    /// Deletes an entity, and everything that it owns.
    case delete(type: Int)

    /// The field that it changes; `nil` for creations and deletions.
    var field: Int? {
      switch self {
      case .create, .delete: nil
      case .set(_, let field), .add(_, let field, _), .toggle(_, let field), .link(_, let field),
        .unlink(_, let field):
        field
      }
    }

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
    /// By a popularity that is common to all groups and users.
    case popular(Double)
    /// By age, the newest first.
    case newest(Double)
  }

  /// A field of an entity that the changed one refers to: a time is set to now, a number is incremented.
  package struct Touch: Hashable, Sendable {
    /// The changed entity's field with the reference (of a list, the reference that was just added or
    /// removed); `nil`: the touched field is its own.
    package var through: Int?
    package var type: Int
    package var field: Int
  }
}

/// A user's activity, from opening the first view to leaving the last.
package struct Activity: Hashable, Sendable {
  package var name: String
  /// Its share of all activities.
  package var share: Double
  package var steps: [ActivityStep]
}

package struct ActivityStep: Hashable, Sendable {
  package var action: Action
  /// The probability that it is done; otherwise the activity ends here.
  package var chance = 1.0
  /// The probability that it is done; otherwise the next step follows; `nil`: always.
  package var optional: Double?

  package init(_ action: Action) {
    self.action = action
  }

  package enum Action: Hashable, Sendable {
    /// Opens a query: with the user's own entity, no subject, or a chosen one.
    case visit(shape: Int, OperationDeclaration.Preference, revisit: Double)
    /// Opens a query whose subject is a row of the current view, or an entity that the row's field refers to.
    case follow(shape: Int, field: QueryShape.Member?, Double)
    /// Opens rows of the current view as single entities; with their mean number.
    case open(Double, zipf: Double)
    /// Loads further pages of the current view; with their mean number.
    case pageOn(Double)
    /// Types the text of an existing entity letter by letter.
    case type(Typing)
    /// Walks through lists whose subjects are rows of other lists, such as directories.
    case stroll(Stroll)
    /// Scrolls through rows of the current view, opening each; with their mean number.
    case scroll(Double, pause: Duration)
    /// A notification of a new entity, which is opened by itself or in a list.
    case notified(Notice)
    /// Stays for a mean time.
    case stay(Duration)
    /// Reopens the previous view, with this probability.
    case back(Double)
    /// Tags the current view, to keep it, with this probability.
    case pin(Double)
    /// Refreshes the current view by pulling it down, with this probability.
    case pull(Double)
    /// Performs an operation of the model: on a row of the current view, or creating an entity there.
    case write(operation: Int, zipf: Double)
  }

  package struct Typing: Hashable, Sendable {
    package var shape: Int
    package var preference = OperationDeclaration.Preference.popular(0.9)
    package var letters = 5.0
    package var keystroke = Self.usualKeystroke

    package static let usualKeystroke = Duration.milliseconds(240)
    /// The number of typed letters from which on the client queries.
    package var askFrom = 1
  }

  package struct Stroll: Hashable, Sendable {
    package var shape = 0
    /// The mean number of moves.
    package var moves = 5.0
    /// The share of moves back to an earlier view of this stroll.
    package var back = 0.3
    /// The share of moves down into a row; the rest leap elsewhere.
    package var descend = 0.3
    /// The share of beginnings and leaps to subjects visited before, later ones likelier.
    package var revisit = 0.3
    /// The mean number of rows opened in each view that do not lead further down.
    package var opens = 1.0
    /// The share of subjects that the user tags at the first visit, to keep them.
    package var pin = 0.0
  }

  package struct Notice: Hashable, Sendable {
    /// The type of the new entity.
    package var type: Int
    /// The maximum age of a new entity.
    package var age: Duration
    /// The list in which it may be opened, and its reference to the list's subject; `nil`: always by itself.
    package var list: List?
    /// The share opened by itself.
    package var direct = 1.0

    package struct List: Hashable, Sendable {
      package var shape: Int
      package var field: QueryShape.Member
    }
  }
}
