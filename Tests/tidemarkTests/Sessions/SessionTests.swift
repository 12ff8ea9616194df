import CacheModel
import CacheSimulation
import Foundation
import Measurement
import Metrics
import NormalizedCache
import Testing
import Workloads

@testable import tidemark

/// A scenario on the real cache.
@Suite("Sessions in real time", .timeLimit(.minutes(10)))
struct SessionTests {
  private static func file(_ folder: URL) throws -> ScenarioFile {
    let path = folder.appendingPathComponent("small.yaml")
    try Data(SmallScenario.yaml.utf8).write(to: path)
    return try ScenarioFile.load(path.path)
  }

  @Test("The cache that is measured serves exactly the reads that the simulated one serves")
  func hits() async throws {
    try await withTemporaryFolder { folder in
      let file = try Self.file(folder)
      var measurement = SessionMeasurement(
        session: Session(file),
        contestants: try file.contestants(["lru", "refcount", "ttl", "spacedrive", "swr"]), seed: 3)
      measurement.rate = 5_000
      measurement.isQuick = true
      let rows = try await measurement.run(progress: Progress("test"))
      for policy in ["lru", "refcount", "ttl", "spacedrive", "swr"] {
        let own = rows.filter { $0.policy == policy }
        let simulated = try #require(own.first { $0.metric == "hit_ratio" })
        let measured = try #require(own.first { $0.metric == "measured_hit_ratio" })
        #expect(measured.value == simulated.value, "\(policy)")
        #expect(measured.sampleCount == simulated.sampleCount, "\(policy)")
        #expect((simulated.sampleCount ?? 0) > 20, "\(policy)")
        let told = own.first {
          $0.metric == "update_to_notify" && $0.class == "single" && $0.statistic == "p50"
        }
        #expect((told?.sampleCount ?? 0) > 20 && told?.value != nil, "\(policy)")
      }
      #expect(rows.contains { $0.policy.isEmpty && $0.metric == "control_notify" })
    }
  }

  @Test("Policies whose caches work differently differ")
  func differ() async throws {
    try await withTemporaryFolder { folder in
      let file = try Self.file(folder)
      var measurement = SessionMeasurement(
        session: Session(file), contestants: try file.contestants(["lru", "no-cache"]), seed: 1)
      measurement.rate = 5_000
      measurement.isQuick = true
      let rows = try await measurement.run(progress: Progress("test"))
      let hits = rows.filter { $0.metric == "measured_hit_ratio" }.compactMap {
        $0.value?.asDouble
      }
      #expect(hits.count == 2 && hits[0] > 0.2 && hits[1] == 0)
    }
  }

  @Test("Every kind of event is framed, and comes back as it was")
  func frames() async throws {
    try await withTemporaryFolder { folder in
      let workload = Workload.generate(try Self.file(folder).scenario, seed: 1)
      let simulation = Simulation(of: workload)
      let composition = try #require(
        Preset.named("lru")?.composition(
          .init(capacity: Capacity(entities: 10), maximumQueries: 10, freshness: .neverExpires)))
      let session = try simulation.session(
        ofClient: 0, policy: "lru", composition: composition)
      let library = try SessionLibrary(of: workload, needing: [session])
      let events = session.inputs.compactMap { input -> EventEnvelope<Handle>? in
        if case .event(let envelope) = input.kind { envelope } else { nil }
      }
      let changed = try #require(
        events.first { if case .changed = $0.event { true } else { false } })
      guard case .changed(let entity) = changed.event else { return }
      let key = entity.key
      let tag = InvalidationTag(
        library: workload.library, location: key.id, resourceType: key.type)
      let others: [CacheEvent<Handle>] = [
        .batchChanged([entity, entity]), .deleted([key], version: entity.version),
        .bulkNotice(scope: tag, count: 4, token: 9), .infrastructure,
      ]
      let registry = try SessionFrame.registry()
      for event in [changed.event] + others {
        let bytes = try library.message(EventEnvelope(place: changed.place, event: event))
        let decoded = registry.decode(
          try SessionFrame.event(in: bytes, decoder: JSONDecoder()))
        #expect(decoded.failures.isEmpty && decoded.unknownTypes.isEmpty)
        guard case .event(let envelope)? = decoded.message else {
          Issue.record("no event")
          continue
        }
        #expect(envelope.place == changed.place)
        #expect(Self.text(envelope.event) { $0.payload.handle } == Self.text(event) { $0.payload })
      }
      // As large as the scenario says, within the frame.
      let bytes = try library.message(changed)
      let size = Int(workload.catalog.revisions[Int(entity.payload.revision)].bytes)
      #expect((size..<size + 300).contains(bytes.count))
    }
  }

  private static func text<Payload: Sendable>(
    _ event: CacheEvent<Payload>, _ handle: (VersionedEntity<Payload>) -> Handle
  ) -> String {
    func text(_ entity: VersionedEntity<Payload>) -> String {
      "\(entity.key) \(entity.version) \(handle(entity))"
    }
    return switch event {
    case .changed(let entity): "changed \(text(entity))"
    case .batchChanged(let entities): "batch \(entities.map(text))"
    case .partlyDecoded(let entities, let others): "partly \(entities.map(text)) \(others)"
    case .deleted(let keys, let version): "deleted \(keys) \(version)"
    case .bulkNotice(let scope, let count, let token): "notice \(scope) \(count) \(token)"
    case .infrastructure: "infrastructure"
    }
  }
}
