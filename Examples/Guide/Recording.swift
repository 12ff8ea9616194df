import NormalizedCache
import SessionRecorder

/// Records from here on, where the user has agreed to it.
func record(_ cache: NormalizedCache<NoteSchema>, path: String) async {
  let recorder = await SessionRecorder.record(cache, to: path)
  print(recorder.report.lost)
}
