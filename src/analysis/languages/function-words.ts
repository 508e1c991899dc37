/**
 * Short stopword lists by two-letter code, made for this project for the languages that the Snowball
 * project has none for: articles, pronouns, prepositions, conjunctions, particles and auxiliary verbs,
 * and no word that names a thing, a quality, a number or a deed.
 */
export const FUNCTION_WORDS: Readonly<Record<string, string>> = {
  af: `
die n en of maar want dat as wat wie se hierdie daardie dit hy sy ek jy u ons hulle julle my jou hom haar hul
jul syne hare is was wees word het had sal sou kan kon moet mag nie nog ook net so dan toe daar hier in op aan
met van vir by na uit om oor onder tot te tussen deur sonder teen
`,
  ar: `
في من على إلى الى عن مع هذا هذه هذان هؤلاء ذلك تلك أولئك الذي التي الذين اللذان اللتان اللاتي اللواتي هو هي هم
هن هما أنا انا نحن أنت انت أنتم انتم أن ان إن أنه انه إنه أنها انها إنها و أو او ثم أم ام بل لكن ولكن لا لم لن
ليس ليست ما ماذا متى أين اين كيف لماذا هل قد لقد سوف كان كانت كانوا يكون تكون كما حيث حتى إذا اذا إذ اذ لو
لولا كي لكي إلا الا غير سوى منذ عند لدى بين به بها بهم فيه فيها فيهم منه منها منهم عنه عنها عليه عليها عليهم
إليه اليه إليها له لها لهم لي لك لنا
`,
  bg: `
а аз ако ала бе без беше би бил била били било бих бъде бъдат бяха в вас ваш ваша ваше ваши ви вие все всеки
всичко всички във върху г ги да дали до докато дори е едва ето за зад заради защо защото и из или им й как
каква какво както какъв като кога когато което които кой който към къде където ли ме между ми мой моя мое мои
му на над нас наш наша наше наши не него нея ни ние никой но нито някой нещо о около от по под поради после
пред през при с са сам се си сме според сте съм със така такава такива такъв там те тези ти то това тогава
този той тук тя тяхна у че чрез ще щом я
`,
  bn: `
এ এই এক একটি এটা এটি এর এরা এবং ও ওই ওর ওরা কি কী কে কেউ কেন কোন কোনো কিছু কিন্তু কিংবা জন্য তা তাই তার তারা
তাকে তাদের তিনি তুমি তোমার তোমাদের থেকে দিয়ে দ্বারা না নয় নেই পর্যন্ত বা বলে মত মতো মধ্যে যা যে যদি যার যারা
যখন তখন যেন যেমন তেমন সে সেই সঙ্গে সাথে হয় হয়ে হতে ছিল ছিলেন আছে আছেন আমি আমার আমরা আমাদের আমাকে আপনি আপনার
উপর এখানে সেখানে অথবা ই তো
`,
  br: `
a ac'h al an ar da dre e ec'h ed en eo er eus evel evit ez gant ha hag he hep hi hol hon hor i int ket ma me
mar met na ne ni o ouzh pa pe peogwir petra piv re se setu te ul un ur us va war zo da'm em ganeomp ganin
ganto dindan dirak bet
`,
  ca: `
a al als amb aquell aquella aquelles aquells aquest aquesta aquestes aquests això allò cada com d de del dels
des el ell ella elles ells els em en ens entre era eren es és esta està et fins ha han havia he hem hi ho i jo
l la les li llur llurs lo los m me mentre meu meus meva meves mi n na ne ni no nos nosaltres nostra nostre
nostres o on per però perquè pel pels pot potser qual quals quan que què qui s sa se sense ser seu seus seva
seves si sí són sota ta també te teu teus teva teves tu un una unes uns us va van vosaltres vostra vostre
vostres
`,
  cs: `
a aby aj ale anebo ani ano asi až bez bude budeme budete budou budu by byl byla byli bylo byly být co což či
do ho i jak jako je jeho jej její jejich jemu jen jenž ještě ji jí jim jimi již jsem jsi jsme jsou jste já k
kam kde kdo kdy když ke která které který kteří ku kvůli má mají mé mě mezi mi mít mne mnou moje můj my na nad
nám námi nás náš naše naši ne nebo nebyl než ní nic nich ním nimi o od on ona oni ono pak po pod podle pokud
pouze pro proč proto protože před přes při s se si sice skrz sobě sobou své svůj svých svým ta tady tak také
takže tam tě te ten tedy tento této tím tímto to tobě tobou toho tohoto tom tomto tomu tu tuto tvůj ty tyto u
už v vám vámi vás váš vaše ve vy z za zda zde ze že
není
`,
  el: `
ο η το οι τα του της των τον την τη τους τις στο στη στην στον στα στους στις στου ένας μια μία ένα ενός μιας
και κι κ ή αλλά όμως αν εάν ότι πως να θα δε δεν μη μην για από με σε ως προς κατά μετά παρά αντί επί χωρίς
εγώ εσύ αυτός αυτή αυτό αυτοί αυτές αυτά αυτόν αυτήν αυτούς αυτών εκείνος εκείνη εκείνο εκείνοι εκείνες εκείνα
εμείς εσείς μου σου μας σας τότε είμαι είσαι είναι είμαστε είστε ήταν ήμουν που πού πώς όπως όταν ποιος ποια
ποιο ποιοι ποιες ποιων όσο όπου ενώ ώστε ίσως
`,
  eo: `
al ambaŭ ankaŭ antaŭ apud aŭ ĉar ĉe ĉi ĉiu ĉiuj ĉu da de des do dum eĉ ekster el en estas estis estos estus
esti ĝi ĝia ĝis for havas ili ilia inter ja jam je jen jes ju ke kia kial kie kiel kies kio kiu kiuj kontraŭ
krom kun kvankam kvazaŭ la li lia malgraŭ mem mi mia ne nek ni nia ol oni or per plej pli plu po por post
preter pri pro se sed sen si sia sub super ŝi ŝia tamen tia tial tie tiel tio tiu tiuj tra trans tro tuj unu
vi via
`,
  et: `
aga ega ehk ei ent et ga ja jah juba kas ka kes kelle keda kellele kui kuid kuidas kuna kus küll kõik ma me
mei meie meile mida mil mille miks mina mind minu minule mis mitte mu mul mulle nad need neid neile nemad
nende nii ning nüüd oled olema oleme olen olete oli olid olin on pole sa saab see sees seda sel selle selles
siis siin sina sind sinu sul sulle ta tal talle te teda tee teie tema temale tänu vaid veel või üle
`,
  eu: `
al anitz arabera asko ba bai baina bait bat batean batek batzuek batzuk bera beraiek berau bere bezala da dago
daude den dira dela ditu du dut dute duen edo egon eta ere ez gara gu gure gutxi hala hau hauek han hari hark
hemen hi hona honek hor hori horiek hura izan naiz ni nire nola non nor noiz nora norbait oso ote zara zen ze
zein zer zergatik ziren zu zuek zure
`,
  fa: `
و در به از که این آن را با برای بر تا یا هم نیز اما ولی اگر چون چه چرا کجا کی کدام هر هیچ همه من تو او ما شما
ایشان آنها آنان اینها است هست هستند بود بودند باشد باشند شد شده شود می نمی خود خویش خواهد نه نیست پس سپس زیرا
بلکه مگر جز بدون بین میان روی زیر مثل مانند همین همان چنین چنان یک یکی ای ها های
`,
  ga: `
a ach ag agus an ar arna as atá ba bhí bíonn chun dar de den do don dá faoi faoin fúm fút gan go gur i
iad idir in ina inár is isteach le leis liom leat linn lena lenár mar mé mo mura na nach ná ní níl níor nó
ó ón óna os roimh sa san seo sí siad sibh sin sinn siúd sna sé tá tar thar thú trí tríd tú um ár é í éis
`,
  gl: `
a á ao aos aquel aquela aquelas aqueles aquí as ás até ben cando co coa coas como con comigo connosco contigo
cos cun cunha da das de dela delas del deles desde do dos dun dunha e é el ela elas eles en era eran esa esas
ese eses esta estas este estes está están eu foi foron fun hai había iso isto ía lle lles lo la las los máis
mais me meu meus mi miña miñas na nas nin no non nos nós nosa noso nun nunha o os ou para pero pois pola polas
polo polos por porque que quen se sen senón ser seu seus si sobre son súa súas ten te teu ti tamén tiña túa tú
un unha unhas uns vos vosa voso
`,
  gu: `
આ એ એક એના એની એનું એને એમ અને અથવા કે તે તેના તેની તેનું તેને તેઓ તો ત્યાં ત્યારે છે છીએ છું છો હતા હતી હતું
હતો હું હા ના ની નું ને નો નથી નહીં પણ પર માટે મારા મારી મારું મારો મને અમે અમારા અમારી અમારું તમે તમારા તમારી
તમારું તને તારી જે જો જ્યાં જ્યારે જેમ તેમ શું કોણ કોઈ ક્યાં ક્યારે કેમ કઈ કયો થી સાથે સુધી વિના માં હોય હશે
આપણે આપણા
`,
  ha: `
a an ba ban ce cikin da don duk ga gare har haka i in ina ita ka kai kamar kan ke ki ko ku kuma kuwa lallai ma
mai masu me mu mun na nan ne ni sai saboda shi su suka sun ta take tana te to tun wa wai wanda wannan wata
wani wasu waɗanda ya yake yana yaya za zai zan
`,
  he: `
של את על אל עם הוא היא הם הן אני אתה אנחנו אתם אתן זה זאת זו אלה אלו כי אם או גם לא כן אך אבל רק כל מה מי איך
איפה מתי למה מדוע כאשר אשר היה היתה הייתה היו יהיה תהיה יהיו להיות יש אין לי לך לו לה לנו לכם להם להן שלי שלך
שלו שלה שלנו שלכם שלהם אותי אותך אותו אותה אותנו אותם בין לפני אחרי תחת מעל ליד מן אצל בלי כמו כך שם פה כאן עד
עוד כבר הנה אז לכן בגלל למרות במקום
`,
  hi: `
का के की को में से ने पर तक और या एवं तथा कि जो यह ये वह वे इस इन उस उन इसका इसके इसकी इसे इन्हें उसका उसके
उसकी उसे उन्हें उनका उनके उनकी उनको है हैं हो हूँ हूं था थे थी थीं होता होती होते हुआ हुई हुए गया गई गए रहा
रही रहे कर करके ही भी तो न नहीं मत मैं मुझे मेरा मेरे मेरी हम हमें हमारा हमारे हमारी तू तुम तुम्हें तुम्हारा
तुम्हारे तुम्हारी आप आपका आपके आपकी अपना अपने अपनी कौन क्या क्यों कब कहाँ कहां कैसे जब तब जहाँ वहाँ यहाँ जैसे
वैसे ऐसे अगर यदि लेकिन मगर किन्तु परन्तु लिए साथ द्वारा कोई किसी कुछ जिस जिसका जिसके जिसकी जिन जिसे सकता सकती
सकते
एक
`,
  hr: `
a ako ali bi bih bila bile bili bilo bio bismo biste biti će ćemo ćete ćeš ću da do duž ga gdje i iako ih ili
im iz ja je jedan jedna jedno jer jesam jesi jesmo jest jeste jesu joj još ju kada kad kako kao koja koje koji
kojima koju kroz li me mene meni mi moj moja moje mu na nad nakon nam nama nas naš naša naše ne nego neka neki
neko nešto ni nije nisam nisi nismo niste nisu njega njegov njegova njegovo njemu njezin njih njihov njim
njima njoj nju no o od on ona oni ono ova ovaj ove ovo pa pak po pod pored pri prije s sa sam se si smo ste su
sve svi svoj svoja svoje ta tada taj tako te tebe tebi ti to toj tome tu tvoj tvoja u uz vam vama vas vaš vaša
vi za zar što
`,
  hy: `
ու և եւ կամ բայց որ որը որոնք որպես թե եթե այս այդ այն սա դա նա նրա նրանք նրանց ես դու մենք դուք իմ քո մեր ձեր
իր իրենց ինձ քեզ մեզ ձեզ նրան եմ է ենք եք են էի էիր էր էինք էիք էին չեմ չես չի չէ չեն մեջ վրա համար հետ հետո
առանց մոտ տակ ըստ նաև էլ ինչ ով որտեղ երբ ինչու ինչպես պիտի իսկ ի
`,
  id: `
ada adalah agar akan aku anda antara apa apabila apakah atas atau bagaimana bagi bahwa beberapa belum bila
bisa bukan dalam dan dapat dari daripada dengan di dia engkau hal hanya harus hingga ia ialah ini itu jadi
jika juga kah kalau kalian kami kamu karena kau ke kenapa kepada ketika kita lah maka mana masih mengapa
mereka namun nya oleh pada para pun saat saja sambil sampai sang saya se sebagai sebab sebelum sedang sehingga
sejak seperti serta sesudah setelah si siapa sudah supaya tanpa telah tentang terhadap tersebut tetapi tidak
untuk walaupun yaitu yakni yang
`,
  ja: `
の に は を た が で て と し れ も へ か だ や ね よ な ら ば さ から まで より ので のに けど けれど けれども でも では には とは へは との への での からの までの です ます
でした ました ません である であり であった だった だけ など ながら また または および かつ しかし そして それ これ あれ この その あの どの ここ そこ あそこ どこ という といった として
によって により による において における について に対して に対する に関する とともに ため ような ように する した して している される された いる いた ある あった なる なった ない なかった
られる れる せる
`,
  ko: `
하고 이나 든지 라도 마저 조차 그 이것 그것 저것 저 이런 그런 저런 여기 거기 저기 그리고 그러나 그런데 그래서 그러므로 그러면 하지만 또는 및 또한 즉 우리 저희 너희 당신 그들 누구 무엇
어디 언제 왜 어떻게 어느 어떤 때문에 대해 대하여 위해 위하여 통해 의해 의하여 있다 있는 없다 없는 이다 하다 되다
나 내 너 네 혹은 혹 이며 에게
`,
  ku: `
û an jî ku ji li bi di de ne na ev ew evan ewan ez tu em hûn min te wî wê me we wan xwe kî çi kengî çawa çima
ger heke lê belê her hemû bê bo ta heta dibe bû bûn e in im î ye yê ya yên da ra re ve و لە بە بۆ لەگەڵ ئەم
ئەو ئەوان من تۆ ئێمە ئێوە کە یان هەر هەموو بێ نە
`,
  la: `
a ab ac ad an ante apud at atque aut autem contra cum de dum e ea eam eas ei eis eius eo eorum eos erant erat
es esse est et etiam eum ex fuit haec hanc hic hoc hos huic huius hunc iam id idem ille illa illud illi illum
in inter ipsa ipse ipsum is ita me mihi mea meus ne nec neque nisi non nos noster nam ob per post pro qua quae
quam quas quem qui quia quibus quid quidem quo quod quos se sed si sibi sic sicut sine sub sui sum sunt suo
super suus tam tamen te tibi tu tum ubi ut vel vos
`,
  lt: `
apie ar arba aš ant be bei bet būti buvo buvau buvome buvote bus dėl dar esame esate esi esu gal iki ir iš į
jai jam jas jau jei jeigu ji jie jiems jis jo joje jomis jos juo jų jums jūs jūsų ką kad kai kaip kas kieno
kiek kita kitas kodėl kol koks kokia kuri kurie kurį kurio kuris kurios link man mane manęs mano mes mums mus
mūsų nei nes nors nuo o pagal pas per po prie prieš pro sau save savo su ta tai tad tačiau taip tame tam tas
tau tave tavo ten tie to toks tos tu tų už virš visi vis yra
`,
  lv: `
aiz ap ar arī bet bez bija biju bijām bijāt būs būšu būsi būsim būt caur dēļ es esam esat esi esmu gan gar
ikviens ir it itin ja jau jeb jo jūs jums jūsu kā ka kad kamēr kas kaut ko kur kurš kura kuri kuru lai līdz
man mani mans mana mēs mums mūsu ne nav nekā nevis no nu pa par pār pat pēc pie pirms pret priekš sev sevi
savs sava starp šis šī šo šie šīs ta tā tad tas tie to tos tajā tam tās tāpēc tev tevi tavs tava te tikai
tomēr tu un uz vai vien viņa viņi viņš viņu viņam viņai virs zem
`,
  mr: `
आणि व किंवा पण परंतु की जर तर हा ही हे या ह्या तो ती ते त्या त्याचा त्याची त्याचे त्यांचा त्यांना त्याला तिला
तिचा मी मला माझा माझी माझे आम्ही आम्हाला आमचा तू तुला तुझा तुम्ही तुम्हाला तुमचा आपण आपला आपली आपले आपल्या जो
जी जे ज्या कोण काय का कधी कुठे कसे कसा आहे आहेत आहोत होता होती होते होत असा अशी असे असून नाही नाहीत न मध्ये वर
खाली साठी कडे पासून पर्यंत मुळे शी ने ला चा ची चे च्या तरी मात्र ना
`,
  ms: `
ada adalah agar akan aku anda antara apa apabila apakah atas atau bagaimana bagi bahawa beberapa belum beliau
bila boleh bukan dalam dan dapat dari daripada dengan di dia engkau hanya harus hingga ia iaitu ialah ini itu
jika juga kalau kalian kami kamu kamulah kau ke kenapa kepada kerana ketika kita lah maka mana masih mengapa
mereka namun nya oleh pada para pun sahaja saja sambil sampai saya se sebab sebagai sebelum sedang sehingga
sejak selepas seperti serta setelah siapa sudah supaya tanpa telah tentang terhadap tersebut tetapi tidak
untuk walaupun yakni yang
`,
  my: `
နှင့် နှင့်အတူ နှင့်တကွ ငါ ကျွန်တော် ကျွန်မ ကျုပ် ကျနော် ကျမ သူ သူမ သူတို့ ငါတို့ သင် သင်တို့ မင်း မင်းတို့ ဤ
ထို ဒီ ဟို သည် က ကို မှာ တွင် မှ သို့ ရဲ့ နဲ့ ပါ လည်း သော တဲ့ မည့် သည့် သို့မဟုတ် သို့သော် ဒါပေမဲ့
လျှင် ရင် ဖြစ် ဘယ် ဘာ ဘယ်သူ ဘယ်မှာ ဘာကြောင့် အောက်မှာ အပေါ်မှာ အထဲမှာ
`,
  pa: `
ਦਾ ਦੇ ਦੀ ਦੀਆਂ ਨੂੰ ਨੇ ਤੋਂ ਵਿੱਚ ਵਿਚ ਵਿੱਚੋਂ ਤੇ ਉੱਤੇ ਨਾਲ ਲਈ ਤੱਕ ਅਤੇ ਜਾਂ ਕਿ ਪਰ ਜੇ ਇਹ ਉਹ ਇਸ ਉਸ ਇਨ੍ਹਾਂ ਉਨ੍ਹਾਂ ਇੱਕ ਹੈ
ਹਨ ਹਾਂ ਸੀ ਸਨ ਹੋ ਹੁੰਦਾ ਹੁੰਦੀ ਹੁੰਦੇ ਵੀ ਹੀ ਤਾਂ ਨਹੀਂ ਨਾ ਮੈਂ ਮੈਨੂੰ ਮੇਰਾ ਮੇਰੇ ਮੇਰੀ ਅਸੀਂ ਸਾਨੂੰ ਸਾਡਾ ਸਾਡੇ ਸਾਡੀ ਤੂੰ
ਤੁਸੀਂ ਤੁਹਾਨੂੰ ਤੁਹਾਡਾ ਤੁਹਾਡੇ ਤੁਹਾਡੀ ਆਪਣਾ ਆਪਣੇ ਆਪਣੀ ਜੋ ਜਿਸ ਜਿਹੜਾ ਕੌਣ ਕੀ ਕਿਉਂ ਕਦੋਂ ਕਿੱਥੇ ਕਿਵੇਂ ਜਦੋਂ ਉਦੋਂ ਕੋਈ ਕਿਸੇ
ਦੁਆਰਾ ਕੇ
`,
  pl: `
a aby ale albo ani aż bez bo bowiem by była były było był być będą będzie ci cię co czy czyli dla dlaczego do
gdy gdyby gdyż gdzie go i ich ile im iż ją jak jakie jaki jaka jako je jednak jego jej jemu jest jestem jesteś
jeśli jeżeli już każdy kiedy kto ktoś która które którego której który których którym którzy ku lecz lub ma
mają mam mi mimo między mną mnie mogą moja moje może mój mu my na nad nam nami nas nasz nasza nasze nawet nią
nic nich nie niej niemu nim nimi niż no o obok od on ona one oni ono oraz po pod podczas ponad ponieważ poza
przed przez przy się skąd sobie są swoje swój ta tak taki taka takie także tam te tego tej ten temu też to
tobą tobie tu twoja twoje twój ty tych tym tylko u w wam wami was wasz wasza wasze we więc właśnie wszystko z
za zaś że żeby ze
wy ja
`,
  ro: `
a acea această aceasta aceea acei aceia acel acela acele acelea acest acesta aceste acestea acești aceștia ai
al ale am ar are as aș atât ați au avea avem aveți că căci când care căror către ce cea cei cel cele celor
cine conform cu cum dacă dar de deci deși despre din dintr dintre după ea ei el ele era erau este ești eu fără
fi fie fost i iar îi îl îmi în înainte între într își îți la le li lor lui mă mai mea mei mele meu mi mie ne
nea ni nici niște noastră noastre nostru noștri noi nu o ori pe pentru peste prin printr sa să săi său sale
sau se și si sub sunt suntem sunteți ta tăi tale tău te ți tu un una unei unor unui unii unele vă voastră
voastre vostru voștri vi voi vom vor
aici acolo
`,
  sk: `
a aby aj ak ako aký ale alebo ani áno asi až bez bol bola boli bolo bude budem budeme budete budeš budú by byť
cez čo či do ho hoci i ich im iba ja je jeho jej jemu ju k kam kde keď kto ktorá ktoré ktorí ktorý ku lebo len
ma má majú mám máme medzi mi mne mnou môj môže moja moje mu my na nad nám nami nás náš naša naše ne nebo nech
než nich nie niečo nim ním nimi no o od on ona oni ono ony po pod podľa pre pred pretože pri s sa sem si so
som ste sme sú svoj svoja svoje ta tá tak také takže tam táto te teba tebe tebou teda ten tento ti tie tieto
to toho tohto tom tomu toto tou tu tvoj tvoja ty tým už v vám vami vás váš vaša vo vy z za zo že
`,
  sl: `
a ali ampak bi bil bila bile bili bilo biti bo bodo bom bomo boste boš brez če čez da do dokler ga gre i in iz
ja jaz je ji jih jim jo k kaj kajti kako kakor kamor kar kateri katera katero kdaj kdo ker ki kje kjer ko koga
kot le li me med mene meni mi moj moja moje mu na nad naj nam nami nas naš naša naše ne nek neka neki ni nič
nisem nisi nismo niste niso njega njegov njej njemu njen njih njihov njim njimi njo no o ob od oba on ona oni
ono pa po pod poleg pred preden pri proti s saj sam se sebe sebi sem si smo so ste svoj svoja svoje ta tak
tako takrat tam te tega tem temu ter tej ti tisti tista tisto to toda torej tu tudi tvoj tvoja v vam vami vas
vaš vaša ve vi vsak z za zakaj zato že
`,
  so: `
oo ee iyo ama mise laakiin haddii in inuu inay inaan ka ku u la si wax waa waan waxa waxaa waxay wuxuu waxuu
ayaa ayay ayuu baa buu bay aan ay uu aad iska isku uga ugu kuu kula loo lagu laga lala ha ma maya maxaa yaa
kan kaas kuwa tan taas anigu adigu isagu iyadu annagu idinku iyagu
`,
  st: `
a ba be bo e ea eo fa fela ha hae hao haeba hape hi ho hore hobane ja jwale jwalo ka kae kapa ke kgidi ko kwa
la le leha lona lwa ma me mme mo moo na nna ne o oa osele re rona sa se sena seo tla tsa tse tsena tseo uena
wa wena ya yena yeo yona
`,
  sw: `
na ya wa kwa ni za katika la kuwa kama kwamba cha vya pa au ama lakini bali ila ili si hii hiyo ile huu huo
ule hizi hizo zile haya hayo yale hawa hao wale hili hilo lile hiki hicho kile hivi hivyo vile huyu huyo yule
mimi wewe yeye sisi ninyi wao yangu yako yake yetu yenu yao wangu wako wake wetu wenu langu lako lake letu lao
zake zao vyake vyao ambaye ambao ambayo ambazo ambacho ambalo nini nani lini wapi je pia tu hata bila kuna
kwenye kutoka mpaka hadi hapa hapo pale kisha
`,
  th: `
ที่ และ ของ ใน เป็น มี ได้ ให้ ว่า จะ ไม่ กับ แก่ แต่ หรือ จาก โดย ก็ นี้ นั้น ซึ่ง คือ ด้วย เพื่อ เพราะ เมื่อ
ถ้า หาก ถึง ตาม ต่อ แล้ว อยู่ ยัง เคย คง ควร ต้อง อาจ จึง เช่น ทั้ง เอง บาง ทุก อะไร ใคร ทำไม อย่างไร เท่าไร
ดิฉัน ฉัน คุณ เขา เธอ มัน เรา พวก ท่าน ๆ นะ ครับ ค่ะ คะ
`,
  tl: `
ako akin aking amin aming ang ano at atin ating ay ba bakit bawat bilang dahil dapat din rin dito doon
hanggang hindi huwag ikaw inyo inyong isang ito iyo iyon iyong ka kahit kami kanila kanilang kanino kanya
kanyang kapag kasi kaya kayo kaysa ko kong kung lamang lang maging man may mayroon mga mo mong mula na nang
nasa nasaan ng nga ngunit ni nila nilang nito niya niyang noon o pa paano pala para pero po sa saan sana si
sila sina sino siya subalit sya tayo ukol upang
`,
  uk: `
а або авжеж адже але ані аби без би бо був була були було бути в вам вами вас ваш ваша ваше ваші вже ви від
він вона вони воно все всі да де для до є ж за з зі із і й його йому її їй їм їх їхній коли крім лише мене
мені ми між мій мною моє мої моя на навіть над нам нами нас наш наша наше наші не нього ні ніби ним ними них
ній нею о об ось от отже перед по під після при про проти саме свій своє свої своя себе собі собою та так така
таке такий також там те тебе ти ті тим то тобі тобою тоді той того тому тут у хіба хоч хоча хто це цей ці ця
цього цьому чи через чого чому що щоб щось як яка яке який які якого якої якщо
я
`,
  ur: `
کا کے کی کو میں سے نے پر تک اور یا و کہ جو یہ وہ اس ان اسے انہیں اسکا ہے ہیں ہو ہوں تھا تھے تھی تھیں ہوتا ہوتی
ہوتے ہوا ہوئی ہوئے گیا گئی گئے رہا رہی رہے کر کرکے ہی بھی تو نہ نہیں مت مجھے میرا میرے میری ہم ہمیں ہمارا
ہمارے ہماری تم تمہیں تمہارا تمہارے تمہاری آپ اپنا اپنے اپنی کون کیا کیوں کب کہاں کیسے جب تب جہاں وہاں یہاں
جیسے ایسے اگر لیکن مگر لئے لیے ساتھ کوئی کسی کچھ جس جن سکتا سکتی سکتے
`,
  vi: `
và của là có cho với trong được bị bởi các những một mỗi mọi này kia đó đấy đây ấy không chưa chẳng chỉ khi từ
đến tới như nhưng mà thì hay hoặc nếu vì do nên để đã đang sẽ vẫn cũng còn rất quá lại ra vào lên xuống trên
dưới ngoài giữa tại ở về theo tôi tao ta chúng nó họ gì nào ai sao đâu bao giờ thế vậy rằng tuy dù càng cùng
cứ vừa từng à ừ ạ nhé
`,
  yo: `
ni ní sí ti tí àti pẹ̀lú sùgbọ́n ṣùgbọ́n tàbí bí nítorí láti fún lè yóò máa ń kò kì kí wọ́n ó mo o a ẹ mi rẹ
rẹ̀ wa yín wọn èmi ìwọ òun àwa ẹ̀yin àwọn náà yìí yẹn wọ̀nyí kan gbogbo ta níbo nígbà báwo tó sì bẹ́ẹ̀ jẹ́ ṣe
wà gẹ́gẹ́
`,
  zh: `
的 和 跟 与 與 及 或 而 且 但 但是 而且 并 並 也 都 就 又 还 還 很 是 在 了 着 著 过 過 把 被 给 給 让 讓 对 對 对于 對於 关于 關於 从 從 到 向 往 由 以 因 因为 因為 所以
如果 虽然 雖然 即使 则 則 我 你 您 他 她 它 我们 我們 你们 你們 他们 他們 她们 它们 咱们 自己 这 這 那 哪 这个 這個 那个 那個 这些 這些 那些 什么 什麼 谁 誰 怎么 怎麼 为什么 為什麼
吗 嗎 呢 吧 啊 嘛 之 于 於 其 所 等 不 没 沒 没有 沒有
`,
  zu: `
na nga ngo nge ku ka kwa la le lo ma no ne uma ukuthi ukuba ukuze kodwa futhi noma ngoba ngakho nje kanye
kanti lapho lapha khona manje mina wena yena thina nina bona wami wakho wakhe wethu wenu wabo yami yakho yakhe
yethu yabo lami lakhe zami zakhe bami bakhe lesi lezi leli labo leyo lelo ubani ini kuphi nini kanjani ngani
ngi u i a ba zi si
`,
};
