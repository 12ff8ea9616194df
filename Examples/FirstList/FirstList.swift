import NormalizedCache

/// A list that is fetched once, and then follows events.
@main
struct FirstList {
  static func main() async throws {
    let server = NoteServer()
    _ = await server.write(1, Note(title: "milk"))
    _ = await server.write(2, Note(title: "bread"))

    let cache = try NormalizedCache(
      composition: CachePolicy(
        evictionOrder: "lru", capacity: Capacity(entities: 10_000), retention: .observed,
        freshness: .neverExpires, maximumQueries: 100),
      schema: NoteSchema(), source: server)
    let notes = try await cache.query(OpenNotes(), in: NoteServer.library)
    print("fetched:", notes.map(\.title))

    let key = try OpenNotes().key(in: NoteServer.library)
    let token = ObservationToken(
      await cache.observe(key) { cache, key in
        print("shows:", cache.rows(of: key).map(\.payload.title))
      })
    await cache.receive(await server.write(3, Note(title: "apples")))
    await cache.receive(await server.write(2, Note(title: "bread", isDone: true)))
    await cache.receive(await server.write(1, Note(title: "oat milk")))
    await token.cancel()

    let reads = await cache.readStatistics.total
    print("\(reads.hits) of \(reads.reads) reads were hits")
  }
}
