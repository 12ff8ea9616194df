import Foundation
import RealTime
import ResponseCache
import ResultModel

/// Measures the response cache with real files, in either layout, and over HTTP.
struct ResponseTimes {
  let plan: DesignPlan
  let layout: ResponseOptions.MetadataLayout
  /// The number of bodies in an issue with a tag.
  private let issueSize = 60

  init(plan: DesignPlan, layout: ResponseOptions.MetadataLayout) {
    self.plan = plan
    self.layout = layout
  }

  private var name: String { "response, \(layout.rawValue)" }

  func samples(entries: Int) async throws -> [DesignSample] {
    var list = SampleList(design: name, entries: entries)
    let folder = try plan.freshFolder("response")
    try await fill(folder, entries, &list)
    try await Disk.waitUntilFree(folder)
    try await careFor(folder, entries, &list)
    try await Disk.waitUntilFree(folder)
    try await sweep(folder, entries, &list)
    try await Disk.waitUntilFree(folder)
    return list.samples
  }

  private func fill(_ folder: URL, _ entries: Int, _ list: inout SampleList) async throws {
    let cache = try open(folder, maximumEntries: entries)
    let before = Disk.bytesWritten
    list.add(
      "write all",
      nanoseconds: try await Stopwatch.time {
        for index in 0..<entries {
          try await cache.store(
            plan.body(index), for: try DesignPlan.url(index), kind: .json,
            maximumAge: .seconds(3_600))
        }
        try await cache.flush()
      })
    list.add(
      "bytes written per byte", writtenSince: before, payload: entries * plan.bodyBytes)
    try list.add(usageOf: folder)
  }

  private func careFor(_ folder: URL, _ entries: Int, _ list: inout SampleList) async throws {
    var opened: ResponseCache?
    list.add(
      "start-up: to the first entry",
      nanoseconds: try await Stopwatch.time {
        let cache = try open(folder, maximumEntries: entries)
        guard try await cache.entry(for: try DesignPlan.url(0)) != nil else {
          throw WrongAnswer("\(name): the first entry is lost")
        }
        opened = cache
      })
    guard let cache = opened else { return }
    try await cache.flush()

    var before = Disk.bytesWritten
    try await cache.fetch(try DesignPlan.url(1))
    list.add(
      "flush after one read", nanoseconds: try await Stopwatch.time { try await cache.flush() })
    list.add("bytes of a flush after one read", writtenSince: before)

    let issue = try (0..<min(issueSize, entries)).map { try DesignPlan.url($0) }
    before = Disk.bytesWritten
    list.add(
      "tag \(issue.count), one after the other",
      nanoseconds: try await Stopwatch.time {
        for url in issue { try await cache.fetch(url, tag: "issue") }
      })
    list.add("bytes of tagging \(issue.count)", writtenSince: before)
    before = Disk.bytesWritten
    list.add(
      "untag \(issue.count)",
      nanoseconds: try await Stopwatch.time { try await cache.removeTag("issue") })
    list.add("bytes of untagging \(issue.count)", writtenSince: before)
    try await cache.flush()
  }

  private func sweep(_ folder: URL, _ entries: Int, _ list: inout SampleList) async throws {
    let cache = try open(folder, maximumEntries: entries / 2)
    // A start includes a sweep.
    list.add(
      "start-up and sweep of half",
      nanoseconds: await Stopwatch.time { await cache.sweep() })
    guard await cache.statistics.sweptEntries == entries - entries / 2 else {
      throw WrongAnswer("\(name): the sweep left another number of entries")
    }
    try await cache.flush()
  }

  private func open(
    _ folder: URL, maximumEntries: Int, memory: Int = 20
  ) throws -> ResponseCache {
    var options = ResponseOptions()
    options.metadataLayout = layout
    options.maximumEntries = maximumEntries
    options.memoryEntries = memory
    options.sweepInterval = nil
    return try ResponseCache(folder: folder, options: options)
  }

  /// Measures reads of each tier, and of a server that answers "not modified" or fails.
  func samples(of server: DesignServer) async throws -> [DesignSample] {
    var list = SampleList(design: name, entries: nil)
    let folder = try plan.freshFolder("response-server")
    for index in 0..<20 { server.serve(plan.body(index), at: "/fresh/\(index)") }
    for index in 0..<20 {
      server.serve(plan.body(index), at: "/stale/\(index)", maximumAge: 0, etag: "\"\(index)\"")
    }
    for index in 0..<plan.requests { server.serve(plan.body(index), at: "/new/\(index)") }
    do {
      let cache = try open(folder, maximumEntries: plan.requests + 40)
      list.add(
        "read: server",
        try await times(plan.requests, from: .network, cache, server) { "/new/\($0)" })
      for index in 0..<20 { try await cache.fetch(try server.url("/fresh/\(index)")) }
      list.add(
        "read: memory",
        try await times(plan.reads, from: .memory, cache, server) { "/fresh/\($0 % 20)" })
      for index in 0..<20 { try await cache.fetch(try server.url("/stale/\(index)")) }
      let times = try await Stopwatch.times(plan.requests) { index in
        let answer = try await cache.fetch(try server.url("/stale/\(index % 20)"))
        guard answer.freshness == .confirmed, answer.body.count == plan.bodyBytes else {
          throw WrongAnswer("\(name): not revalidated but \(answer.freshness)")
        }
      }
      list.add("read: revalidated by 304", times)
      server.fail(with: 503)
      let stale = try await Stopwatch.times(plan.requests) { index in
        let answer = try await cache.fetch(try server.url("/stale/\(index % 20)"))
        guard case .stale = answer.freshness else {
          throw WrongAnswer("\(name): not stale but \(answer.freshness)")
        }
      }
      server.fail(with: nil)
      list.add("read: stale after 503", stale)
      try await cache.flush()
    }
    try await Disk.waitUntilFree(folder)
    let cold = try open(folder, maximumEntries: plan.requests + 40, memory: 0)
    list.add(
      "read: file",
      try await times(plan.reads, from: .disk, cold, server) { "/new/\($0 % plan.requests)" })
    try await cold.flush()
    return list.samples
  }

  /// Times fetches with answers from one tier.
  private func times(
    _ count: Int, from source: ResponseSource, _ cache: ResponseCache, _ server: DesignServer,
    path: (Int) -> String
  ) async throws -> SampleSummary {
    try await Stopwatch.times(count) { index in
      let answer = try await cache.fetch(try server.url(path(index)))
      guard answer.source == source, answer.body.count == plan.bodyBytes else {
        throw WrongAnswer("\(name): \(path(index)) came from \(answer.source), not \(source)")
      }
    }
  }
}
