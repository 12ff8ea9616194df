import ArgumentParser
import CachePersistence
import Measurement

/// A client with a storage, to be killed; started by `measure`, and of no use alone.
struct RunClientCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run-client",
    abstract: "A client with a storage; `measure --kill client --persistence` starts and kills it.",
    shouldDisplay: false)

  @OptionGroup var library: MadeLibraryOptions

  @Option var endpoint: String
  @Option var policy: String
  /// The file that keeps the cache.
  @Option var storage: String

  func run() async throws {
    guard let endpoint = SyncEndpoint(endpoint) else {
      throw CommandFailure(.input, "--endpoint is \"\(endpoint)\"; give unix:PATH or tcp:HOST:PORT")
    }
    let made = library.made
    guard let composition = made.composition(preset: policy) else {
      throw CommandFailure(.input, "no preset is called \"\(policy)\"")
    }
    let orders = ChildOrders.lines()
    let work = Task { [storage] in
      do {
        let client = try await KeptClient.start(
          at: endpoint, library: made, composition: composition,
          storage: SQLiteStorage(path: storage))
        let place = client.resumption
        try Console.write("ready \(place.stored) \(place.reached) \(place.fetches)\n")
        return client
      } catch {
        Console.exit(for: error)
      }
    }
    for await order in orders {
      guard order.hasPrefix("finish "), let last = UInt64(order.dropFirst("finish ".count)) else {
        throw CommandFailure(.fault, "the order \"\(order)\" is not known")
      }
      do {
        try await work.value.finish(through: last)
        try Console.write("done\n")
      } catch {
        Console.exit(for: error)
      }
    }
    // The order to leave.
    work.cancel()
  }
}
