// Reads landscapes, splines and volumes of a real editor into the level of a built-in one.
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { LevelReadInput, type PcgEditor } from '#contract'
import type { LevelReport } from '#pcg-contract'
import { api } from '../../api/api.ts'
import { t } from '../../language/language.ts'
import { formOf } from '../../ui/form/fields.ts'
import { RecordForm } from '../../ui/form/RecordForm.tsx'
import { counted } from '../../ui/format.ts'
import { useChanges } from '../../ui/use-records.ts'
import { reasonAgainst } from '../editor/capabilities.ts'
import { editorsQuery } from '../editor/queries.ts'
import { BetweenEditors, EditorField, editorIn } from './BetweenEditors.tsx'
import { Report } from './Report.tsx'
import { Working } from './Working.tsx'

const ABOUT = t('Its landscapes, splines and volumes take the place of an earlier reading. Nothing changes in Unreal.')
const NONE = {
  title: t('There is no Unreal editor'),
  about: t('A level is read from a running Unreal editor. Add one first.'),
}

type Props = { readonly editor: string; readonly onClose: () => void }

export function ReadLevel({ editor, onClose }: Props) {
  const { data = [] } = useQuery(editorsQuery)
  const real = data.filter(({ driver }) => driver !== 'embedded')
  return (
    <BetweenEditors
      title={t('Read a level into {editor}', { editor })}
      about={ABOUT}
      others={real}
      none={NONE}
      onClose={onClose}
    >
      <ReadForm editor={editor} real={real} onClose={onClose} />
    </BetweenEditors>
  )
}

const formFor = (real: readonly PcgEditor[]) =>
  formOf(LevelReadInput, {
    from: {
      label: t('From'),
      check: ({ from }) => reasonAgainst(editorIn(real, from), 'edit') ?? undefined,
      draw: (control) => <EditorField {...control} label={t('From')} editors={real} />,
    },
    resolution: {
      label: t('Resolution'),
      hint: t('Heights along the longer side of the landscapes, from 2 to 257. More take longer.'),
    },
    replace: { label: t('Also remove other actors without a PCG component') },
  })

function ReadForm({ editor, real, onClose }: Props & { readonly real: readonly PcgEditor[] }) {
  const form = useMemo(() => formFor(real), [real])
  const { settled } = useChanges('pcg')
  const [from, setFrom] = useState<string | null>(null)
  const read = async (body: LevelReadInput) => {
    setFrom(body.from)
    try {
      return await settled(api.pcg.readLevel({ params: { name: editor }, body }))
    } finally {
      setFrom(null)
    }
  }
  const start = real.find((one) => reasonAgainst(one, 'edit') === null) ?? real[0]
  return (
    <RecordForm
      form={form}
      fresh={{ from: start?.name }}
      draftName={editor}
      submit={t('Read level')}
      once
      onSubmit={read}
      onClose={onClose}
      renderDone={(report) => <Arrived report={report} editor={editor} onClose={onClose} />}
    >
      {() => from !== null && <Working label={t('Reading')} from={from} to={editor} />}
    </RecordForm>
  )
}

function Arrived({ report, editor, onClose }: Props & { readonly report: LevelReport }) {
  const { level, landscapes, heights, splines, volumes, removed, skipped } = report
  return (
    <Report
      done={t('The shapes of {level} are in {editor}', { level, editor })}
      lines={[
        t('{landscapes} with {heights}', {
          landscapes: counted(landscapes, 'landscape'),
          heights: counted(heights, 'height'),
        }),
        counted(splines, 'spline'),
        counted(volumes, 'volume'),
        ...(removed > 0 ? [t('{counted} removed', { counted: counted(removed, 'earlier actor') })] : []),
      ]}
      missing={skipped}
      complete={t('Nothing was skipped.')}
      onClose={onClose}
    />
  )
}
