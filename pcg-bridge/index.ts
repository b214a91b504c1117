// The door `#pcg-bridge`: editors as backends of tools that a gateway can list and call.
export { createPcgBridge } from './bridge.ts'
export { openEmbeddedEditor } from './embedded/index.ts'
export { createEditorHost } from './host.ts'
