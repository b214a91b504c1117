// The door `#pcg-bridge`: opens editors for a gateway that hosts them.
export { createEditorHost } from './hosted/host.ts'
