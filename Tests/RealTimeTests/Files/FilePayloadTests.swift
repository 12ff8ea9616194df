import CacheModel
import FoundationEssentials
import NormalizedCache
import Testing

@testable import RealTime

@Suite("Files that are measured")
struct FilePayloadTests {
  let library = FileLibrary(directories: 4, filesPerDirectory: 25, seed: 7)

  @Test("A file in JSON is as large as captured: 942 to 951 bytes")
  func size() throws {
    let encoder = WireEncoder()
    for file in 0..<library.fileCount {
      let payload = library.payload(ofFile: file, revision: file * 113)
      let bytes = try encoder.bytes(of: payload).count
      #expect(MeasurementSchema().weight(of: payload) == bytes)
      #expect((942...951).contains(bytes), "file \(file) has \(bytes) bytes")
    }
  }

  @Test("A file is the same after JSON")
  func roundTrip() throws {
    for file in 0..<library.fileCount {
      let payload = library.payload(ofFile: file, revision: 3)
      #expect(try WireDecoder().file(from: WireEncoder().bytes(of: payload)) == payload)
    }
  }

  @Test("The same seed makes the same library, another seed another")
  func seeds() {
    let twin = FileLibrary(directories: 4, filesPerDirectory: 25, seed: 7)
    let other = FileLibrary(directories: 4, filesPerDirectory: 25, seed: 8)
    #expect(library.payload(ofFile: 99, revision: 2) == twin.payload(ofFile: 99, revision: 2))
    #expect(library.queryKeys == twin.queryKeys)
    #expect(library.payload(ofFile: 99, revision: 2) != other.payload(ofFile: 99, revision: 2))
    #expect(library.queryKeys != other.queryKeys)
  }

  @Test("Every revision differs from the previous one for an observer")
  func revisions() {
    let schema = MeasurementSchema()
    for revision in 1..<20 {
      #expect(
        !schema.areEqual(
          library.payload(ofFile: 5, revision: revision),
          library.payload(ofFile: 5, revision: revision - 1)))
    }
  }

  @Test("A revision is read back from the version that it made", arguments: [0, 1, 7_919, 1 << 20])
  func revisionOfVersion(revision: Int) {
    #expect(FileLibrary.revision(of: FileLibrary.version(ofRevision: revision)) == revision)
  }

  @Test("A directory lists its own files, in the order in which the server answers")
  func membership() {
    let schema = MeasurementSchema()
    let plan = schema.plan(for: library.queryKey(ofDirectory: 2))
    let rows = library.response(toDirectory: 2).entities
    for row in rows {
      #expect(schema.belongs(row.payload, key: row.key, in: plan.predicate) == .member)
    }
    for (row, next) in zip(rows, rows.dropFirst()) {
      #expect(
        schema.precedes(row.payload, key: row.key, next.payload, key: next.key, in: plan.predicate))
    }
    let stranger = library.entity(file: 0, revision: 0)
    #expect(schema.belongs(stranger.payload, key: stranger.key, in: plan.predicate) == .notMember)
  }

  @Test("An input that is not an identifier lists nothing and is not kept", arguments: [0, 15, 17])
  func badInput(length: Int) {
    let schema = MeasurementSchema()
    let key = QueryKey(
      library: library.library, method: FileLibrary.listingMethod,
      input: [UInt8](repeating: 1, count: length))
    let plan = schema.plan(for: key)
    let file = library.entity(file: 0, revision: 0)
    #expect(!plan.isCacheable)
    #expect(schema.belongs(file.payload, key: file.key, in: plan.predicate) == .notMember)
  }
}
