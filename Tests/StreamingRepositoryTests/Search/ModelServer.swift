import StreamingRepository

/// The rows of a collection, as a server had them when it read them.
struct Answer: Hashable, Sendable {
  var account: Int
  var collection: Int
  /// How often the collection had changed.
  var version = 0
  /// The users' changes that it had applied.
  var changes: Set<Int> = []
  /// Set by the run: the request, and the session that it was sent in.
  var request = 0
  var session = 0
}

/// A server that is the truth.
struct ModelServer {
  private var collections: [Answer] = []

  init() {
    for account in 0..<RepositoryProgram.accounts {
      for collection in 0..<RepositoryProgram.collections {
        collections.append(Answer(account: account, collection: collection))
      }
    }
  }

  subscript(account: Int, collection: Int) -> Answer {
    collections[account * RepositoryProgram.collections + collection]
  }

  /// Changes a collection; `change`: of a user.
  mutating func change(_ account: Int, _ collection: Int, _ change: Int? = nil) {
    let index = account * RepositoryProgram.collections + collection
    collections[index].version += 1
    if let change { collections[index].changes.insert(change) }
  }
}

/// A file that takes an operation whole or not at all.
struct ModelFile {
  struct Place: Hashable {
    var account: Int
    var collection: Int
  }

  /// A change that shows above a collection.
  struct Layer: Hashable {
    var change: ChangeNumber
    var place: Place
  }

  var shownAccount: Int?
  var rows: [Place: Answer] = [:]
  var layers: Set<Layer> = []

  mutating func removeAll(of account: Int) {
    rows = rows.filter { $0.key.account != account }
    layers = layers.filter { $0.place.account != account }
  }

  mutating func removeLayers(of change: ChangeNumber) {
    layers = layers.filter { $0.change != change }
  }
}
