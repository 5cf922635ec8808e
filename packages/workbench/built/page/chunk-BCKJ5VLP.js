var f=/(^|[;,|\t\r\n])([\s\u200b-\u200f\u2060\ufeff]*)([=+\-@\uff1d\uff0b\uff0d\uff20\u2212])/g,o=/^[-+]?\d+([.,]\d+)?$/;function u(e,n){let t=e.replace(f,"$1$2'$3"),r=o.test(e)?e:/^[\t\r\n]/.test(t)?`'${t}`:t;return r.includes(n)||/["\n\r]|^\s|\s$/.test(r)?`"${r.replaceAll('"','""')}"`:r}function i(e,n){let t=[];for(let r of e)t.push(r.map(s=>u(s,n)).join(n));return`\uFEFF${t.join(`\r
`)}\r
`}export{i as a};
