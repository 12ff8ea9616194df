import CacheModel
import Foundation
import Reporting
import ResponseCache

/// What is kept of entries in either layout: one file for all, or a file beside each.
struct LayoutCounts {
  let plan: DesignPlan

  func section() async throws -> CountSection {
    var rows: [[String]] = []
    for entries in [20, 200, 500] {
      for layout in ResponseOptions.MetadataLayout.allCases {
        rows.append(try await row(entries, layout))
      }
    }
    return CountSection(
      "Manifest against sidecar files",
      columns: ["entries, layout", "files", "bytes of metadata", "bytes of the largest file"],
      rows: rows)
  }

  private func row(_ entries: Int, _ layout: ResponseOptions.MetadataLayout) async throws
    -> [String]
  {
    let folder = try plan.freshFolder("layout")
    var options = ResponseOptions()
    options.metadataLayout = layout
    options.maximumEntries = entries
    options.sweepInterval = nil
    let clock = SteadyClock()
    let cache = try ResponseCache(
      folder: folder, transport: CountingTransport(bodyBytes: 100), options: options,
      timeOfDay: { clock.date })
    for index in 0..<entries { try await cache.fetch(try DesignPlan.url(index)) }
    try await cache.flush()
    let files = try metadata(in: folder)
    let all = files.reduce(0) { $0 + $1.bytes }
    return [
      "\(entries), \(layout.rawValue)", "\(files.count)", HumanNumber.count(Double(all)),
      HumanNumber.count(Double(files.map(\.bytes).max() ?? 0)),
    ]
  }

  /// The files that tell of bodies, without the bodies.
  private func metadata(in folder: URL) throws -> [(name: String, bytes: Int)] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0 == "manifest.json" || $0.hasSuffix(".meta") }
      .map { name in
        let path = folder.appendingPathComponent(name).path
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return (name, size ?? 0)
      }
  }
}
