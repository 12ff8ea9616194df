/// An app that a scenario declares: its data, who else changes them, and who looks at them.
package struct DeclaredApp: Sendable {
  package var model: DataModel
  package var writers: [WritersSection] = []
  package var users: [UsersSection] = []

  package init(model: DataModel) {
    self.model = model
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
  /// How often it comes to it; else the activity ends here.
  package var chance = 1.0

  package init(_ action: Action) {
    self.action = action
  }

  package enum Action: Hashable, Sendable {
    /// A query is opened: about the user's own entity, none, or one that is chosen.
    case visit(shape: Int, OperationDeclaration.Preference, again: Double)
    /// A row of the view on screen, or what its field refers to, becomes the subject of the next view.
    case follow(shape: Int, field: QueryShape.Member?, Double)
    /// Rows of the view on screen are opened as single entities; so many on average.
    case open(Double, zipf: Double)
    /// Further pages of the view on screen; so many on average.
    case pageOn(Double)
    /// A text that exists is typed letter by letter.
    case type(shape: Int, letters: Double, keystroke: Duration, askFrom: Int)
    /// The user looks for so long, on average.
    case stay(Duration)
    /// The view before is opened again, so often.
    case back(Double)
    /// The view on screen is marked, to be kept at hand; so often.
    case tag(Double)
    /// The view on screen is asked for again, as when it is pulled down; so often.
    case pull(Double)
    /// An operation of the model is carried out: on a row of the view on screen, or it creates one there.
    case write(operation: Int, zipf: Double)
  }
}
