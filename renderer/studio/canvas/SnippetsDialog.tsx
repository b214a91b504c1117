// Snippets: groups of nodes stored in this browser, saved from the selection or from copied text.

import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, TextArea } from '../../ui/Field.tsx'
import { notifyError } from '../../ui/notify.ts'
import { submitting } from '../../ui/submitting.ts'
import { parseClip } from '../model/clipboard.ts'
import { useStudio } from '../studio.ts'
import { useBench } from './bench.ts'
import { dropSnippet, keepSnippet, useChoices } from './choices.ts'
import { chosenClip, readInTurn } from './edit-commands.ts'

const ABOUT = t('They stay in this browser, and stand in the search for nodes. Their text can be pasted and sent.')

export function SnippetsDialog({ onClose }: { readonly onClose: () => void }) {
  const snippets = useChoices((state) => state.snippets)
  return (
    <Dialog open onClose={onClose} title={t('Snippets')} about={ABOUT}>
      <Keep />
      <ul aria-label={t('Snippets')} className="mt-4 divide-y divide-line">
        {snippets.map(({ id, name, text }) => (
          <li key={id} className="flex h-9 items-center gap-1 text-sm">
            <span className="min-w-0 grow truncate">{name}</span>
            <CopyButton text={text} label={t('Copy the text of “{name}”', { name })} />
            <IconButton
              size="sm"
              label={t('Remove “{name}”', { name })}
              title={t('Remove')}
              onClick={() => dropSnippet(id)}
            >
              <Trash2 />
            </IconButton>
          </li>
        ))}
      </ul>
      {snippets.length === 0 && <p className="text-sm text-ink-2">{t('No snippets yet.')}</p>}
    </Dialog>
  )
}

/** The source of a new snippet: the selection, or pasted text when nothing is selected. */
function Keep() {
  const bench = useBench()
  const chosen = useStudio(
    (state) => [...state.nodes].filter((name) => bench.view.nodes.get(name)?.end === null).length,
  )
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [fault, tell] = useState('')
  const [busy, setBusy] = useState(false)
  const keep = async (): Promise<void> => {
    setBusy(true)
    try {
      const { editor } = bench
      const clip = chosen > 0 ? await readInTurn(bench, (at, of) => chosenClip(editor, at, of)) : parseClip(text)
      if (!clip) return
      if (typeof clip === 'string') return tell(clip)
      keepSnippet(name.trim(), JSON.stringify(clip, null, 1))
    } finally {
      setBusy(false)
    }
    setName('')
    setText('')
    tell('')
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={submitting(() => !busy && keep().catch(notifyError))}>
      <Field label={t('Name')} value={name} maxLength={80} onChange={({ target }) => setName(target.value)} />
      {chosen === 0 && (
        <TextArea
          label={t('Copied nodes')}
          hint={t('Or choose nodes in the graph first.')}
          error={fault}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <Button
        type="submit"
        className="self-start"
        busy={busy}
        disabled={name.trim() === '' || (chosen === 0 && text === '')}
      >
        {chosen > 0
          ? t('Keep {value}', {
              value: chosen === 1 ? t('the chosen node') : t('the {chosen} chosen nodes', { chosen }),
            })
          : t('Keep this text')}
      </Button>
    </form>
  )
}
