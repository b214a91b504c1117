// Deletes the page's record after a confirmation, and returns to its list.
import { Trash2 } from 'lucide-react'
import { t } from '../language/language.ts'
import { Button } from './Button.tsx'
import { useAsk } from './Dialog.tsx'
import { useLead } from './use-mounted.ts'

export type Deletion = {
  /** The noun: `consumer`. */
  readonly noun: string
  /** The consequences. */
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
          title: t('Delete {name}?', { name }),
          about,
          confirm: t('Delete {noun}', { noun }),
          run: async () => {
            await run()
            lead(list)
          },
        })
      }
    >
      <Trash2 />
      {t('Delete…')}
    </Button>
  )
}
