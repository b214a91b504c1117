// Deletes the record of a page after asking, and leaves for the list it was in.
import { Trash2 } from 'lucide-react'
import { Button } from './Button.tsx'
import { useAsk } from './Dialog.tsx'
import { useLead } from './use-mounted.ts'

export type Deletion = {
  /** What it is called: `consumer`. */
  readonly noun: string
  /** What becomes of all that had to do with it. */
  readonly about: string
  readonly list: `/${string}`
  readonly run: () => Promise<unknown>
}

export function DeleteRecord({ name, noun, about, list, run }: Deletion & { readonly name: string }) {
  const lead = useLead()
  const ask = useAsk()
  return (
    <Button
      look="quiet-danger"
      onClick={() =>
        ask({
          title: `Delete ${name}?`,
          about,
          confirm: `Delete ${noun}`,
          run: async () => {
            await run()
            lead(list)
          },
        })
      }
    >
      <Trash2 />
      Delete…
    </Button>
  )
}
