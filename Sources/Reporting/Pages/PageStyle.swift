/// The style sheet of reports: no script, no network, light and dark by the reader's own setting.
///
/// Dark colours apply on screens only, so that paper stays white. The seven colours of policies are those of
/// Okabe and Ito; on white the three lightest are darkened so that a line has three times the contrast that
/// it needs to be visible (WCAG 2.2, 1.4.11). Names in these colours are mixed with that of text, since text needs
/// 4.5 times (1.4.3).
enum PageStyle {
  static let sheet: StaticString = """
    :root{color-scheme:light dark;--bg:#fff;--ink:#1a1f26;--soft:#59636f;--line:#dde2e8;--card:#f7f9fb;\
    --link:#0a58a8;--good:#17703a;--bad:#b3261e;--doubt:#855c00;--warm:#eef1f4;--fault:#f6c9c4;\
    --k0:#0072b2;--k1:#d55e00;--k2:#008a65;--k3:#b0548a;--k4:#a87400;--k5:#2389c4;--k6:#7a7400;--bd:#767f8a;\
    --q0:#4e79a7;--q1:#a0c0de;--q2:#c9ced6;--q3:#e3b34c;--q4:#b07aa1;--q5:#76b7b2;--q6:#9c755f;--q7:#59636f;--q8:#d1605e}
    @media (prefers-color-scheme:dark){@media not print{:root{--bg:#12161b;--ink:#e4e8ed;--soft:#9aa5b1;\
    --line:#2b333d;--card:#181d24;--link:#78b4f0;--good:#5cc486;--bad:#f08a80;--doubt:#e0b252;--warm:#1d242c;\
    --fault:#5a2a28;--k0:#3f9ad6;--k1:#e8752a;--k2:#1fb48a;--k3:#d78bb4;--k4:#e69f00;--k5:#7cc8f2;--k6:#d8cd3a;\
    --bd:#8c96a1;--q0:#5b8dc0;--q1:#33506e;--q2:#454e59;--q3:#c2943a;--q4:#a56f96;--q5:#5d9c97;--q6:#8f6c58;\
    --q7:#8a94a0;--q8:#d1605e}}}
    @media print{:root{color-scheme:light}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",\
    Roboto,"Liberation Sans",Arial,sans-serif;overflow-wrap:anywhere}
    main,header,footer,nav{max-width:1360px;margin:0 auto;padding:0 20px}
    h1{font-size:27px;line-height:1.2;margin:26px 0 2px;letter-spacing:-.01em}
    h2{font-size:21px;line-height:1.25;margin:0 0 4px}
    h3{font-size:16px;margin:22px 0 6px}h4{font-size:14px;margin:0 0 6px}
    p{margin:0 0 8px}a{color:var(--link);text-underline-offset:2px}
    code{font:12px/1.45 ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
    pre{margin:4px 0 10px;padding:8px 10px;background:var(--card);border:1px solid var(--line);border-radius:6px;\
    overflow-x:auto}
    .soft,.src,.how{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad)}.doubt{color:var(--doubt)}
    .lede{font-size:18px;line-height:1.45;max-width:62em;margin:10px 0 14px}
    .tiles{display:grid;grid-template-columns:repeat(3,1fr);gap:12px;margin:0 0 16px;padding:0}
    .ans~.tiles{margin-top:16px}
    .tile{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px;font-size:14px}
    .tile h2{font-size:14px;margin:0 0 3px}.tile p{margin:0 0 3px}.tile ul{margin:0;padding-left:17px}
    table{border-collapse:collapse;width:100%;font-size:13px;line-height:1.4;font-variant-numeric:tabular-nums}
    th{font-weight:600;text-align:left;color:var(--soft);border-bottom:1px solid var(--ink);padding:4px 10px 4px 0;\
    vertical-align:bottom}
    td{border-bottom:1px solid var(--line);padding:5px 10px 5px 0;vertical-align:top}
    th.n,td.n{text-align:right;white-space:nowrap}
    .nums{overflow-wrap:normal}.nums td,.nums th{text-align:right;white-space:nowrap}.nums td:first-child,.nums th:first-child{text-align:left}
    tr.best td{font-weight:600}
    .wide{overflow-x:auto}
    .ans td:first-child{width:14%;font-weight:600}
    .ans .ship b{font-size:14px}.ans .ship{width:15%}
    .ans .at{width:16%}.ans .at svg{width:100%;max-width:230px;height:auto;display:block}
    .ans .why{width:29%}.ans .why .but{display:block}
    .ans .go{white-space:nowrap}
    .ans .n small,.ans small{display:block;color:var(--soft);font-size:12px;font-weight:400}
    .ans small.doubt{color:var(--doubt)}
    section{border-top:1px solid var(--line);padding:24px 0 12px;margin-top:20px}
    .pics{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(340px,100%),1fr));gap:16px;align-items:start;\
    margin:12px 0}
    figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px 8px;\
    break-inside:avoid;min-width:0}
    figure svg{width:100%;height:auto;display:block}
    .how{font-size:13px;line-height:1.4;margin:6px 0 4px}.src{font-size:11.5px;line-height:1.4;margin:0}.src code{font-size:11px}
    .none{color:var(--doubt);font-size:13px}
    .alts{list-style:none;padding:0;margin:6px 0 0;display:flex;flex-wrap:wrap;gap:4px 8px;font-size:13px}
    .alts li{border:1px solid var(--line);border-radius:99px;padding:1px 10px}
    details{margin:8px 0}summary{cursor:pointer;color:var(--link);font-size:14px}
    .toc{columns:4 200px;font-size:14px;padding-left:18px}
    svg text{font-size:11px;fill:var(--soft)}
    svg .at{font-size:11px;fill:var(--soft)}svg .vl{fill:var(--ink)}svg .b{font-weight:700}svg .lt{fill:var(--bad);font-size:10.5px}
    .e{text-anchor:end}.m{text-anchor:middle}
    svg .nm{font-size:10.5px;fill:currentColor;fill:color-mix(in srgb,currentColor 82%,canvastext)}
    .nums td[class]{color:color-mix(in srgb,var(--own) 82%,canvastext)}
    .ln{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
    .thin{stroke-width:1.4}.d1{stroke-dasharray:5 3}.d2{stroke-dasharray:1.5 3}
    .bd.ln{stroke-width:1.3}
    .wh{fill:none;stroke:currentColor;stroke-width:1.4}.fl{fill:currentColor}
    .ld{fill:none;stroke:currentColor;stroke-width:.6;opacity:.55}
    .gr{fill:none;stroke:var(--line);stroke-width:1}.ax{fill:none;stroke:var(--soft);stroke-width:1}
    .lim{fill:none;stroke:var(--bad);stroke-width:1.4;stroke-dasharray:4 3}
    .ring{fill:none;stroke:currentColor;stroke-width:1.2}
    .warm{fill:var(--warm)}.fault{fill:var(--fault);opacity:.7}
    .span{fill:none;stroke:var(--line);stroke-width:7}.tick{fill:none;stroke:var(--bd);stroke-width:1.2}
    use{fill:currentColor}
    .up{color:var(--good)}.dn{color:var(--bad)}.eq{color:var(--bd)}.k{color:var(--ink)}
    .k0{--own:var(--k0)}.k1{--own:var(--k1)}.k2{--own:var(--k2)}.k3{--own:var(--k3)}.k4{--own:var(--k4)}\
    .k5{--own:var(--k5)}.k6{--own:var(--k6)}.bd{--own:var(--bd)}
    .k0,.k1,.k2,.k3,.k4,.k5,.k6,.bd{color:var(--own)}
    .q0{fill:var(--q0)}.q1{fill:var(--q1)}.q2{fill:var(--q2)}.q3{fill:var(--q3)}.q4{fill:var(--q4)}.q5{fill:var(--q5)}\
    .q6{fill:var(--q6)}.q7{fill:var(--q7)}.q8{fill:var(--q8)}.q1,.q2{stroke:var(--bd);stroke-width:.7}
    .defs{position:absolute;width:0;height:0}
    .dot{display:inline-block;width:11px;height:11px;vertical-align:-1px;margin-right:5px;overflow:visible}
    footer{color:var(--soft);font-size:13px;padding:20px 20px 40px}
    @media (max-width:1000px){
    .first{display:flex;flex-direction:column}.tiles{grid-template-columns:1fr}
    .ans,.ans tbody{display:block}.ans thead{display:none}
    .ans tr{display:grid;grid-template-columns:repeat(4,1fr);gap:2px 12px;padding:12px 0;border-bottom:1px solid var(--line)}
    .ans td{display:block;border:0;padding:0;width:auto!important}
    .ans td:first-child,.ans .why,.ans .go{grid-column:1/-1}
    .ans .ship,.ans .at{grid-column:span 2}
    .ans td:first-child{font-size:16px}
    .ans td.n{text-align:left}.ans td.n::before{content:attr(aria-label);display:block;color:var(--soft);font-size:11.5px}}
    @media screen and (max-width:1000px){
    .wide td:first-child,.wide th:first-child{position:sticky;left:0;background:var(--bg)}}
    @media (max-width:620px){
    main,header,footer,nav{padding:0 14px}h1{font-size:23px}.lede{font-size:16px}
    .ans tr{grid-template-columns:repeat(2,1fr)}.ans .ship,.ans .at{grid-column:1/-1}
    figure{padding:10px 8px 8px}
    .nums{font-size:12px}.nums th{white-space:normal}.nums td,.nums th{padding-right:7px}}
    @media print{
    body{font-size:10.5pt}main,header,footer,nav{max-width:none;padding:0}
    .wide{overflow:visible}.tiles{grid-template-columns:repeat(3,1fr)}.go{display:none!important}
    details::details-content{content-visibility:visible;height:auto}
    .nums{font-size:7.5pt}.nums th{white-space:normal}.nums td,.nums th{padding-right:5px}
    a{color:inherit;text-decoration:none}.pics{grid-template-columns:1fr 1fr}nav{display:none}
    section,.ans tr{break-inside:auto}h2,h3,h4{break-after:avoid}tr,figure{break-inside:avoid}
    .warm,.fault,path{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
    """
}
