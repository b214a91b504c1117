// The worker that lays out a large graph: receives sizes, reports progress, returns positions.
import { layered, type Place, type Sizes } from '../model/layered/layered.ts'

export type Layered = { readonly share: number } | { readonly places: readonly Place[] }

const tell = (message: Layered): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
  postMessage(message)
}

addEventListener('message', ({ data }: MessageEvent<Sizes>) => {
  tell({ places: layered(data, (share) => tell({ share })) })
})
