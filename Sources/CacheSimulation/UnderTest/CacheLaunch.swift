public import CacheModel
package import Workloads

/// The start parameters of a cache under test: for a client of a workload, or for that client's next process.
public struct CacheLaunch: Sendable {
  public var scenario: String
  /// The client's name, and its index in the workload.
  public var client: String
  public var place: Int
  public var seed: UInt64
  /// The start time, in virtual time.
  public var at: Instant
  /// The comparison's limits, which are not enforced.
  public var capacity: Capacity
  /// Whether the cache computes list membership itself.
  package var membership = ListMembership.own
  /// The texts that an earlier process of the client has stored, in the order of keys.
  public var stored: [StoredText] = []
  /// Whether each line to it has an unknown member, if it uses the line protocol.
  package var hasUnknownMembers = false
  /// The meaning of the numbers in turns.
  let workload: Workload

  /// Creates the start parameters of a client, by its index in the workload, at an instant.
  package init(_ workload: Workload, place: Int, capacity: Capacity, at: Instant) {
    self.workload = workload
    scenario = workload.name
    client = workload.clients[place].name
    self.place = place
    seed = workload.seed
    self.at = at
    self.capacity = capacity
  }
}

/// The features of a cache beyond reading, which it names when it starts.
public enum CacheFeature: String, CaseIterable, Sendable {
  /// It receives users' writes, shows them, and sends them.
  case writes
  /// It stores its content for the next process.
  case storage
  /// It can receive the lists that a change enters and leaves.
  case given
  /// It distinguishes a row with a part of an entity from one with the whole.
  case parts
}

/// The meaning of the numbers in turns: lists, objects, and the states of objects.
///
/// An unknown number traps.
extension CacheLaunch {
  /// A list that users read, by its number in turns.
  public struct List: Hashable, Sendable {
    /// The scenario's name of such lists.
    public var name: String
    /// The subject; `nil` if there is none.
    public var subject: UInt32?
    /// The typed text; `nil` if there is none.
    public var prefix: String?
    /// The maximum number of rows.
    public var limit: Int
    /// The state after which its rows begin; `nil`: from the first.
    public var after: UInt32?
    /// Whether its rows show a part of each entity; see ``SentRow/isPart``.
    public var showsParts: Bool
  }

  /// The name of a type's view in rows with a part.
  package static let summaryView = "summary"

  /// The number of lists; their numbers are below it.
  public var listCount: Int { workload.queries.count }
  /// The number of objects in the whole run; their numbers are below it.
  public var objectCount: Int { workload.catalog.objects.count }

  public func list(_ number: Int) -> List {
    let query = workload.queries[number]
    let shape = workload.model.shape(of: query.kind)
    let isTyped = shape?.typedField != nil
    return List(
      name: shape?.name ?? "",
      subject: isTyped || shape?.subjectType == nil ? nil : UInt32(exactly: query.subject),
      prefix: isTyped
        ? String(LetterCode.decode(query.subject).prefix(Int(query.prefixLength))) : nil,
      limit: Int(query.limit),
      after: query.after == Revision.noObject ? nil : query.after,
      showsParts: shape?.showsSummaries ?? false)
  }

  /// Returns the object of a state.
  public func object(ofState state: UInt32) -> UInt32 {
    workload.catalog.revisions[Int(state)].object
  }

  /// Returns the size of a state as compact JSON, in bytes.
  public func bytes(ofState state: UInt32) -> Int {
    Int(workload.catalog.revisions[Int(state)].bytes)
  }

  /// Returns the type of an object, as in events that name a type.
  public func type(ofObject object: UInt32) -> ResourceType {
    workload.catalog.objects[Int(object)].type
  }

  /// Returns the scenario's name of a type.
  public func name(of type: ResourceType) -> String {
    let place = Int(type.rawValue) - 1
    return workload.model.types.indices.contains(place) ? workload.model.types[place].name : ""
  }

  /// Returns a field of a state by its name in the scenario; `nil` if its type has none with that name.
  public func field(_ name: String, ofState state: UInt32) -> FieldValue? {
    let place = Int(type(ofObject: object(ofState: state)).rawValue) - 1
    guard workload.model.types.indices.contains(place),
      let field = workload.model.types[place].field(named: name)
    else { return nil }
    return FieldValue(workload.catalog.value(of: field, in: state))
  }

  /// The value of a field.
  public enum FieldValue: Hashable, Sendable {
    /// A whole number, or an instant in nanoseconds.
    case number(Int64)
    case text(String)
    case flag(Bool)
    /// The object that it refers to; `nil`: none.
    case one(UInt32?)
    case many([UInt32])
  }
}

extension CacheLaunch.FieldValue {
  fileprivate init(_ value: Catalog.FieldValue) {
    switch value {
    case .number(let number): self = .number(number)
    case .text(let text): self = .text(text)
    case .flag(let isSet): self = .flag(isSet)
    case .one(let object): self = .one(object)
    case .many(let objects): self = .many(objects)
    }
  }
}
