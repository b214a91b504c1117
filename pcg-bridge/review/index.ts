// The door `#pcg-review`: graphs as text, what differs between two, what both sides of a merge want, what a linter finds. Pure.
export { assetText, fromAsset, type GraphAsset, readAsset, toAsset } from './asset.ts'
export { diffGraphs, diffText } from './diff.ts'
export { emptyLayout, type ReviewGraph } from './graph.ts'
export { aligned } from './match.ts'
export { conflictText, mergeGraphs } from './merge.ts'
export { diffPicture } from './picture.ts'
export { parseText, printText, TextError } from './text.ts'
