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

/// One thing that a user does from the first view to leaving the last.
package struct Activity: Hashable, Sendable {
  package var name: String
  /// How often it is begun, of all activities.
  package var share: Double
  package var steps: [ActivityStep]

  package init(name: String, share: Double, steps: [ActivityStep]) {
    self.name = name
    self.share = share
    self.steps = steps
  }
}

package struct ActivityStep: Hashable, Sendable {
  package var action: Action
  /// How often it is done; otherwise the activity ends here.
  package var chance = 1.0
  /// How often it is done, else the next step follows; `nil`: always.
  package var optional: Double?

  package init(_ action: Action) {
    self.action = action
  }

  package enum Action: Hashable, Sendable {
    /// A query is opened: about the user's own entity, none, or one that is chosen.
    case visit(shape: Int, OperationDeclaration.Preference, revisit: Double)
    /// A row of the view on screen, or what its field refers to, becomes the subject of the next view.
    case follow(shape: Int, field: QueryShape.Member?, Double)
    /// Rows of the view on screen are opened as single entities; their mean number.
    case open(Double, zipf: Double)
    /// Further pages of the view on screen; their mean number.
    case pageOn(Double)
    /// The text of an entity that exists is typed letter by letter.
    case type(Typing)
    /// A walk through lists of which each is about a row of another, such as directories.
    case stroll(Stroll)
    /// Rows of the view on screen come into reach one after the other, each opened; their mean number.
    case scroll(Double, pause: Duration)
    /// Something new calls: it is opened, by itself or in a list.
    case notified(Notice)
    /// The user looks for so long, on average.
    case stay(Duration)
    /// The view before is opened again, so often.
    case back(Double)
    /// The view on screen is marked, to be kept at hand; so often.
    case pin(Double)
    /// The view on screen is asked for again, as when it is pulled down; so often.
    case pull(Double)
    /// An operation of the model is carried out: on a row of the view on screen, or it creates one there.
    case write(operation: Int, zipf: Double)
  }

  package struct Typing: Hashable, Sendable {
    package var shape: Int
    /// Whose text it is.
    package var preference = OperationDeclaration.Preference.popular(0.9)
    package var letters = 5.0
    package var keystroke = Self.usualKeystroke

    package static let usualKeystroke = Duration.milliseconds(240)
    /// From how many letters on the client asks while they are typed.
    package var askFrom = 1
  }

  package struct Stroll: Hashable, Sendable {
    package var shape = 0
    /// Its mean number.
    package var moves = 5.0
    /// The share of moves that go back to a view of this stroll.
    package var back = 0.3
    /// The share of moves that go down into a row; the rest leap elsewhere.
    package var descend = 0.3
    /// The share of beginnings and leaps that lead where the user was before, the likelier the later it was.
    package var revisit = 0.3
    /// The mean number of rows opened in each view, of those that lead no further down.
    package var opens = 1.0
    /// The share of places that the user pins at the first visit, to keep them at hand.
    package var pin = 0.0
  }

  package struct Notice: Hashable, Sendable {
    /// What it is about.
    package var type: Int
    /// Younger than this is new.
    package var age: Duration
    /// The list in which it may be opened, and by which reference of it; `nil`: always by itself.
    package var list: List?
    /// The share that is opened by itself.
    package var direct = 1.0

    package struct List: Hashable, Sendable {
      package var shape: Int
      package var field: QueryShape.Member
    }
  }
}
