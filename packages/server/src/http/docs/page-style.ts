export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1d2129; --soft: #5b6472; --line: #dfe3e8; --ground: #fff; --tint: #f5f7f9;
  --accent: #0b62d6; --get: #0a6b3d; --post: #0b62d6; --patch: #8a5a00; --delete: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa4b2; --line: #2d333c; --ground: #14171c;
  --tint: #1c2027; --accent: #7db3ff; --get: #5fcf98; --post: #7db3ff; --patch: #e0b45c; --delete: #ff8f85; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--ground);
  display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem; border-right: 1px solid var(--line);
  background: var(--tint); font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 .75rem; padding: 0; }
nav li a { display: grid; grid-template-columns: 3.75rem 1fr; padding: .2rem 0; line-height: 1.35; color: var(--ink); text-decoration: none; }
nav li a:hover { text-decoration: underline; }
nav p { margin: .75rem 0 .25rem; font-weight: 600; text-transform: capitalize; }
nav .brand { margin: 0 0 1rem; font-size: 1.125rem; }
.brand span { color: var(--soft); font-weight: 400; font-size: .875rem; }
@media (min-width: 56.01rem) { @supports selector(::details-content) {
  .contents > summary { display: none; }
  .contents::details-content { content-visibility: visible; }
} }
main { padding: 1.5rem clamp(1rem, 4vw, 3rem) 6rem; max-width: 62rem; }
h1 { font-size: 1.875rem; line-height: 1.2; margin: .25rem 0 1rem; }
h2 { margin: 3rem 0 .25rem; padding-top: .5rem; font-size: 1.375rem; text-transform: capitalize; border-top: 1px solid var(--line); }
h3 { margin: 0 0 .5rem; font-size: 1rem; overflow-wrap: anywhere; }
a { color: var(--accent); }
article { margin: 1.25rem 0; padding: 1rem 1.125rem; border: 1px solid var(--line); border-radius: .5rem; }
article:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
article p { margin: .25rem 0 .75rem; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .875em; overflow-wrap: anywhere; }
pre { margin: .75rem 0 0; padding: .75rem 1rem; overflow-x: auto; border-radius: .375rem; background: var(--tint); }
pre code { overflow-wrap: normal; }
.method { display: inline-block; min-width: 4.6em; font: 700 .75rem/1.4 ui-monospace, Menlo, Consolas, monospace; text-transform: uppercase; }
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); } .delete { color: var(--delete); }
details { margin: .25rem 0; }
summary { cursor: pointer; padding: .25rem 0; overflow-wrap: anywhere; }
.schema > summary { padding: .375rem 0; }
.schema > div { padding: 0 0 1rem 1rem; }
.fields { margin: .25rem 0 .5rem; padding-left: 1rem; list-style: none; border-left: 2px solid var(--line); }
.fields li { padding: .2rem 0; }
.optional, .place, .note { color: var(--soft); }
.place, .note { font-size: .875rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 56rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: .75rem 1rem; }
  nav .brand { margin: 0 0 .25rem; }
  nav li a { padding: .45rem 0; }
}
`;
