import CacheTestSupport
import Foundation
import SessionRecorder
import Testing
import Workloads

@Suite("Recordings on disk")
struct PathFileTests {
  @Test("An existing file gets another name, and the given number are kept")
  func names() async throws {
    let folder = try CacheFolder()
    let path = folder.path("session.jsonl")
    for _ in 0..<4 {
      var talk = try await RecordedTalk(seed: 1, composition: RecordedTalk.composition())
      var options = RecorderOptions()
      options.files = 3
      let recorder = await SessionRecorder.record(talk.cache, to: path, options: options)
      for _ in 0..<30 { try await talk.step() }
      await recorder.stop()
      #expect(recorder.report.error == nil)
    }
    #expect(folder.names == ["session.1.jsonl", "session.2.jsonl", "session.jsonl"])
    for file in folder.names {
      let bytes = [UInt8](try Data(contentsOf: folder.url.appending(path: file)))
      #expect(try SessionRecording.read(bytes).clients[0].actions.count > 5)
    }
  }

  @Test("A path that cannot be written is reported, and nothing else happens")
  func unwritable() async throws {
    var talk = try await RecordedTalk(seed: 1, composition: RecordedTalk.composition())
    let recorder = await SessionRecorder.record(talk.cache, to: "/nowhere/session.jsonl")
    for _ in 0..<30 { try await talk.step() }
    await recorder.stop()
    let report = recorder.report
    #expect(report.error == "cannot create /nowhere/session.jsonl: No such file or directory")
    #expect(report.lost > 10 && report.lines == 0 && report.files == 0)
  }

  @Test("A path with a NUL character is refused: no file is made of the part before it")
  func pathWithNUL() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    var talk = try await RecordedTalk(seed: 1, composition: RecordedTalk.composition())
    let recorder = await SessionRecorder.record(talk.cache, to: path + "\0.jsonl")
    for _ in 0..<5 { try await talk.step() }
    await recorder.stop()
    #expect(recorder.report.error?.contains("NUL") == true && recorder.report.files == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("A path that is not a file is left alone")
  func folder() async throws {
    let folder = try CacheFolder()
    var talk = try await RecordedTalk(seed: 1, composition: RecordedTalk.composition())
    let recorder = await SessionRecorder.record(talk.cache, to: folder.url.path)
    for _ in 0..<30 { try await talk.step() }
    await recorder.stop()
    let report = recorder.report
    #expect(
      report.error == "\(folder.url.path) is not a file; name a file, or a path where nothing is")
    #expect(report.lost > 10 && report.files == 0)
    var isFolder: ObjCBool = false
    #expect(FileManager.default.fileExists(atPath: folder.url.path, isDirectory: &isFolder))
    #expect(isFolder.boolValue)
  }
}
