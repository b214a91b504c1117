// The frame of the pages outside the application, sign-in and invitation; each can be read in another language.
import type { ReactNode } from 'react'
import { changeLanguage, LANGUAGE_TAGS, LANGUAGES, language } from '../../language/language.ts'
import { Brand } from '../../ui/Brand.tsx'
import { Button } from '../../ui/Button.tsx'

const OTHERS = LANGUAGE_TAGS.filter((each) => each !== language)

export function DoorPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="grid h-full place-items-center overflow-y-auto bg-canvas px-4">
      <div className="w-full max-w-[21rem] pb-[8vh]">
        <div className="mb-7 flex flex-col items-center gap-3 text-center">
          <Brand className="size-11" />
          <h1 className="text-xl font-semibold tracking-[-0.012em]">{title}</h1>
        </div>
        {children}
        <div className="mt-6 flex justify-center gap-1">
          {OTHERS.map((each) => (
            <Button key={each} look="quiet" lang={each} onClick={() => changeLanguage(each)}>
              {LANGUAGES[each]}
            </Button>
          ))}
        </div>
      </div>
    </main>
  )
}
