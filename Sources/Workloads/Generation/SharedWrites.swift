import CacheModel

/// What all users write, as the other clients hear of it.
///
/// Each client runs by itself, so that what one cache does changes nothing for another: of other users'
/// writes it hears at the instant at which they would reach the server without a cache in their way,
/// when the link is up, in order. Its own happen when they arrive.
struct SharedWrites {
  private(set) var mutations: [Mutation]
  private(set) var items: [MutationItem]
  private(set) var all: [UserWrite] = []
  /// The number of the first write that was added last.
  private(set) var firstOfLatest = 0
  private var heard: [Mutation] = []

  init(_ history: ServerHistory) {
    mutations = history.mutations
    items = history.items
  }

  /// Adds the writes of one client, in order.
  mutating func add(
    _ writes: [DrawnWrite], ofClient client: Int, over link: LinkGenerator, _ scenario: Scenario
  ) {
    firstOfLatest = all.count
    let way = scenario.network.roundTrip.wholeNanoseconds / 2
    let end = scenario.activeDuration.wholeNanoseconds
    // Behind the devices of the others.
    let device = scenario.writers.reduce(0) { $0 + $1.count } + client
    var last: Int64 = 0
    for write in writes {
      let first = items.count
      items += write.items
      all.append(
        UserWrite(
          client: UInt32(client), items: first..<items.count, isCreation: write.isCreation,
          isRefused: write.isRefused))
      last = max(last, Self.passage(at: write.at, over: link) + way)
      guard !write.isRefused, last < end else { continue }
      let isDeletion = write.items.first?.revision == MutationItem.deleted
      var mutation = Mutation(
        at: Instant(nanoseconds: last), device: UInt32(device),
        position: StreamPosition(epoch: 1, sequence: 0),
        kind: isDeletion ? .deleted : write.items.count == 1 ? .changed : .batchChanged,
        items: first..<items.count, bytes: write.bytes)
      mutation.write = UInt32(all.count - 1)
      mutation.origin = mutation.kind == .batchChanged ? .user : nil
      heard.append(mutation)
    }
  }

  /// When the link is up and the server takes requests, from an instant on.
  private static func passage(at instant: Int64, over link: LinkGenerator) -> Int64 {
    var at = instant
    while let window = (link.partitions + link.errors).first(where: { $0.contains(at) }) {
      at = window.upperBound
    }
    return at
  }

  /// Puts them among what others do, in order of time, and numbers the stream again.
  mutating func merge(_ scenario: Scenario) {
    guard !heard.isEmpty else { return }
    let everything = mutations + heard
    let order = everything.indices.sorted {
      everything[$0].at != everything[$1].at
        ? everything[$0].at < everything[$1].at : $0 < $1
    }
    let restarts = scenario.faults.filter { $0.kind == .serverRestart }.map(\.at.wholeNanoseconds)
    var last = StreamPosition(epoch: 1, sequence: 0)
    mutations = order.map { index in
      var mutation = everything[index]
      let epoch = UInt32(1 + restarts.count { $0 <= mutation.at.nanoseconds })
      last = StreamPosition(
        epoch: epoch, sequence: epoch == last.epoch ? last.sequence + 1 : 1)
      mutation.position = last
      return mutation
    }
  }
}
