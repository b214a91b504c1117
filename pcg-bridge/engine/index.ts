// The door `#pcg-engine`: graphs of files generated and drawn in this process, without an editor. Node only.
export { pngDiff } from './diff-png.ts'
export { runGraph } from './run-graph.ts'
