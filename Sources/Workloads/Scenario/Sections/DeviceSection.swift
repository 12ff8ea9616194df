import CacheModel
import Text

/// A group of like devices that change the library.
package struct DeviceSection: Sendable {
  package var name = "device"
  package var count = 1
  /// The mean rate of operations of each device; arrivals are a Poisson process.
  package var rate = 0.0
  package var mix = OperationMix()
  /// The mean number of files that one operation concerns (a selection), where it may be several.
  package var selection = 1.0
  package var popularity = PopularitySection()
  /// The share of edits that fall on what sessions have viewed; `nil`: as popularity has it.
  package var interest: Double?
  package var burst: BurstSection?
  package var index: IndexSection?
  var place: SourcePlace?

  package init() {}
}

extension DeviceSection: ScenarioSection {
  static let fields: [Field<DeviceSection>] = [
    .identifier("name", \.name, "what the group is called"),
    .count("count", of: "devices", \.count, 1...1_000, "devices in the group"),
    .rate("rate", \.rate, 0...1_000, "mean rate of operations of each device"),
    .section("mix", \.mix, "how often each operation, in shares that add up to 100 %"),
    .mean(
      "selection", of: "files", \.selection, 1...1_000, "mean files that one operation concerns"),
    .section("popularity", \.popularity, "which files are changed how often"),
    Field(
      name: "interest", form: .quantity(.share, 0...1),
      summary: "share of edits that fall on what sessions have viewed"
    ) { $0.interest = $2.real($1, .share, in: 0...1) },
    .section("burst", \.burst, startingFrom: BurstSection(), "trains of operations"),
    .section("index", \.index, startingFrom: IndexSection(), "files found by an index job"),
  ]

  mutating func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    self.place = place
    if (rate > 0 || burst != nil) && mix.total == 0 {
      reader.report(place, "the device group has operations but no mix", "add `mix`")
    }
  }
}

/// How often each operation is done, as shares.
package struct OperationMix: Hashable, Sendable {
  package var create = 0.0
  package var modify = 0.0
  package var rename = 0.0
  package var move = 0.0
  package var delete = 0.0
  package var deleteDirectory = 0.0
  package var tag = 0.0
  package var editAlbum = 0.0
  package var createAlbum = 0.0

  package init() {}

  var shares: [Double] {
    [create, modify, rename, move, delete, deleteDirectory, tag, editAlbum, createAlbum]
  }

  var total: Double { shares.reduce(0, +) }
}

extension OperationMix: ScenarioSection {
  static let fields: [Field<OperationMix>] = [
    .share("create", \.create, "a file appears"),
    .share("modify", \.modify, "the content of a file changes"),
    .share("rename", \.rename, "a file or directory gets another name"),
    .share("move", \.move, "files go to another directory"),
    .share("delete", \.delete, "a file goes"),
    .share("delete-directory", \.deleteDirectory, "a directory goes with its subtree"),
    .share("tag", \.tag, "files gain or lose a tag"),
    .share("edit-album", \.editAlbum, "files enter or leave an album"),
    .share("create-album", \.createAlbum, "an album appears"),
  ]

  func validate(at place: SourcePlace?, _ reader: inout ScenarioReader) {
    reader.checkSum(of: shares, at: place)
  }
}

/// Trains of operations in quick succession, such as a paste or a synchronisation after a flight.
package struct BurstSection: Hashable, Sendable {
  /// The mean time between bursts.
  package var every = Duration.minutes(10)
  package var operations = 50
  /// The rate of operations within a burst.
  package var rate = 20.0

  package init() {}
}

extension BurstSection: ScenarioSection {
  static let fields: [Field<BurstSection>] = [
    .duration("every", \.every, .seconds(1)...(.days(30)), "mean time between bursts"),
    .count("operations", of: "operations", \.operations, 1...100_000, "operations in a burst"),
    .rate("rate", \.rate, 0.001...10_000, "rate of operations within a burst"),
  ]
}

/// An index job: files found in batches, then identified one by one, then given thumbnails.
package struct IndexSection: Hashable, Sendable {
  package var at = Duration.minutes(1)
  package var files = 10_000
  /// The files in each batch of the first wave.
  package var batch = 1_000
  /// The rate of batches.
  package var batchRate = 2.5
  /// The share of files that land in directories which exist already.
  package var known = 0.01
  /// The rate at which the second wave identifies files; 0: no second wave.
  package var identify = 75.0
  /// The files in each event of the second wave.
  package var identifyBatch = 1
  /// The files in each event of the third wave.
  package var thumbnailBatch = 50
  /// Whether media files get thumbnails.
  package var thumbnails = true
  /// The time between events of job progress; `nil`: none are sent.
  package var progress: Duration?
  /// Whether batches of 1,000 files or more are announced without their items.
  package var bulkNotice = false

  package init() {}
}

extension IndexSection: ScenarioSection {
  static let fields: [Field<IndexSection>] = [
    .duration("at", \.at, .zero ... .days(30), "when the job begins"),
    .count("files", of: "files", \.files, 1...1_000_000, "files that it finds"),
    .count("batch", of: "files", \.batch, 1...10_000, "files in each batch"),
    .rate("batch-rate", \.batchRate, 0.001...1_000, "rate of batches"),
    .share("known", \.known, "share of files in directories that exist already"),
    .rate("identify", \.identify, 0...10_000, "files identified per second; 0/s: none"),
    .count("identify-batch", of: "files", \.identifyBatch, 1...10_000, "files in each such event"),
    .flag("thumbnails", \.thumbnails, "whether media files get thumbnails"),
    .count(
      "thumbnail-batch", of: "files", \.thumbnailBatch, 1...10_000, "files in each such event"),
    .duration(
      "progress", \.progress, .milliseconds(100)...(.hours(1)), "time between events of progress"),
    .flag("bulk-notice", \.bulkNotice, "whether batches of 1,000 or more come without items"),
  ]
}

extension ScenarioReader {
  /// Reports shares that are given but do not add up to one.
  mutating func checkSum(of shares: [Double], at place: SourcePlace?) {
    let total = shares.reduce(0, +)
    guard total != 0, total < 0.999_999 || total > 1.000_001 else { return }
    report(
      place, "the shares add up to \(Dimension.share.text(of: total))", "let them add up to 100 %")
  }
}
